/** The version of this package; a test keeps it equal to the manifest. */
export const VERSION = '0.1.0'

/** How reports name what made them. */
export const GENERATOR: string = `agent-reach@${VERSION}`
