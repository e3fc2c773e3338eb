import { tool } from 'ai'
import { z } from 'zod'
import { openOrderStore, openPolicyTexts } from './store.mjs'
import { withContract } from './with-contract.mjs'

/** How long `order_query` waits for the store. */
const STORE_DEADLINE_MS = 250

const foundOrder = z.object({
  order_id: z.string(),
  status: z.string(),
  items: z.array(z.object({ name: z.string(), quantity: z.number().int(), price: z.number() })).min(1),
  total: z.number(),
})

/** An unknown order is an answer of its own kind, so that it does not count as a broken record. */
const unknownOrder = z.object({ order_id: z.string(), error: z.string() })

const foundPassages = z.object({
  query: z.string(),
  passages: z.array(z.object({ id: z.string(), title: z.string(), text: z.string(), score: z.number() })),
})

/**
 * The tools of the research step over a store in the given condition.
 * @param {import('./store.mjs').StoreCondition} [condition]
 */
export function createTools(condition) {
  return {
    order_query: withContract('order_query', orderQuery(condition)),
    policy_search: withContract('policy_search', policySearch()),
  }
}

/** @param {import('./store.mjs').StoreCondition} [condition] */
function orderQuery(condition) {
  const store = openOrderStore(condition)
  return tool({
    description: 'Looks an order up by its number.',
    inputSchema: z.object({ order_id: z.string().describe('for example ORD-1007') }),
    outputSchema: z.union([foundOrder, unknownOrder]),
    execute: async ({ order_id }, { abortSignal }) => {
      const order = await withDeadline(STORE_DEADLINE_MS, abortSignal, (signal) =>
        store.findOrder(order_id, signal),
      )
      if (!order) return { order_id, error: 'order not found' }
      const { placed_on: _, ...result } = order
      // The store is trusted to hold whole records, as tools usually trust their store.
      return /** @type {z.infer<typeof foundOrder>} */ (result)
    },
  })
}

function policySearch() {
  const texts = openPolicyTexts()
  return tool({
    description: 'Searches the shop policies by keywords.',
    inputSchema: z.object({ query: z.string().describe('a few keywords') }),
    outputSchema: foundPassages,
    execute: async ({ query }) => ({ query, passages: texts.search(query) }),
  })
}

/**
 * Runs work that ends when the deadline passes or the caller gives up, whichever is first.
 * @template T
 * @param {number} deadlineMs
 * @param {AbortSignal | undefined} caller
 * @param {(signal: AbortSignal) => Promise<T>} work
 * @returns {Promise<T>}
 */
async function withDeadline(deadlineMs, caller, work) {
  const deadline = AbortSignal.timeout(deadlineMs)
  const signal = caller ? AbortSignal.any([caller, deadline]) : deadline
  try {
    return await work(signal)
  } catch (error) {
    // Node's timers reject with a bare AbortError; the reason says that it was a timeout.
    signal.throwIfAborted()
    throw error
  }
}
