import { homedir } from 'node:os'
import { join } from 'node:path'

/**
 * Where everything is kept that takes long to make: outside the tree, so that no checkout makes it anew.
 * `AGENT_REACH_E2E_CACHE` names another folder.
 */
export const cacheFolder = () =>
  process.env['AGENT_REACH_E2E_CACHE'] || join(homedir(), '.cache', 'agent-reach-e2e')
