/**
 * What can be broken in one run.
 * @typedef {object} Settings
 * @property {import('./store.mjs').StoreCondition} store what is wrong with the order store
 * @property {number} searches how often the model searches before it believes a result
 * @property {number} summaryTokens output token limit of the summary call
 */

/**
 * @typedef {object} Fault
 * @property {string} name the name on the command line
 * @property {string} what what goes wrong
 * @property {string} node the node a report should name as the first broken one
 * @property {string} code the finding a report should give there
 * @property {Partial<Settings>} settings how it differs from a healthy run
 */

/** @type {Settings} */
const healthy = { store: {}, searches: 1, summaryTokens: 400 }

/**
 * The switchable faults, one row each. Nothing else in the example knows their names: the store, the
 * model and the agent only see the settings.
 * @type {readonly Fault[]}
 */
export const faults = [
  {
    name: 'missing-status',
    what: 'the order record has lost its status field',
    node: 'order_query',
    code: 'schema_violation',
    settings: { store: { withoutField: 'status' } },
  },
  {
    name: 'empty-items',
    what: 'the order record has no items',
    node: 'order_query',
    code: 'empty_result',
    settings: { store: { replace: { items: [] } } },
  },
  {
    name: 'circling-search',
    what: 'the model asks the same question five times and gets the same answer',
    node: 'policy_search',
    code: 'loop',
    settings: { searches: 5 },
  },
  {
    name: 'tool-exception',
    what: 'the order store has closed the connection',
    node: 'order_query',
    code: 'exception',
    settings: { store: { closed: true } },
  },
  {
    name: 'slow-tool',
    what: 'the order store needs two seconds, the tool waits 250 milliseconds',
    node: 'order_query',
    code: 'timeout',
    settings: { store: { delayMs: 2000 } },
  },
  {
    name: 'truncated-answer',
    what: 'the summary hits its token limit in mid sentence',
    node: 'summary_generator',
    code: 'truncated_output',
    settings: { summaryTokens: 40 },
  },
  {
    name: 'failed-query',
    what: 'the order is not in the store, and the answer says so in a normal result',
    node: 'order_query',
    code: 'error_in_result',
    settings: { store: { empty: true } },
  },
]

/**
 * The settings of a run.
 * @param {string} [name] a fault; a healthy run without
 * @returns {Settings}
 * @throws {RangeError} when no fault has that name
 */
export function settingsFor(name) {
  if (name === undefined) return healthy
  const fault = faults.find((row) => row.name === name)
  if (!fault) throw new RangeError(`no fault is called ${name}`)
  return { ...healthy, ...fault.settings }
}
