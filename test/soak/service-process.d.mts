/** The report service in a process of its own. */
export interface ServiceProcess {
  readonly url: string
  readonly port: number
  readonly pid: number
  readonly stop: () => Promise<number | null>
  readonly kill: () => Promise<unknown>
}

/** Starts the service and waits until it listens. */
export function startService(settings: {
  readonly store: string
  readonly port?: number
  readonly options?: readonly string[]
}): Promise<ServiceProcess>
