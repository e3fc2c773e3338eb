import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'

/**
 * @typedef {object} Order
 * @property {string} order_id for example ORD-1007
 * @property {string} placed_on a date
 * @property {string} [status] how far the order has come
 * @property {{ name: string, quantity: number, price: number }[]} items what was ordered
 * @property {number} total the price of all items
 */

/** @typedef {{ id: string, title: string, text: string }} Policy */

/**
 * What is wrong with the order store; nothing by default.
 * @typedef {object} StoreCondition
 * @property {keyof Order} [withoutField] a field every record has lost
 * @property {Partial<Order>} [replace] fields every record has wrong
 * @property {boolean} [closed] the connection is gone
 * @property {boolean} [empty] there are no records
 * @property {number} [delayMs] how long a look-up takes
 */

/** Thrown when the store cannot be asked at all. */
class StoreConnectionError extends Error {
  name = 'StoreConnectionError'
}

/**
 * Opens the order store.
 * @param {StoreCondition} [condition]
 */
export function openOrderStore(condition = {}) {
  /** @type {Order[]} */
  const orders = condition.empty ? [] : readData('orders.json')
  return {
    /**
     * @param {string} orderId
     * @param {AbortSignal} signal ends the look-up early
     * @returns {Promise<Order | undefined>}
     */
    async findOrder(orderId, signal) {
      if (condition.closed) throw new StoreConnectionError('the connection to the order store is closed')
      await delay(condition.delayMs ?? 8, undefined, { signal })
      const order = orders.find((record) => record.order_id === orderId)
      return order && damage(order, condition)
    },
  }
}

/**
 * Opens the policy texts for keyword search.
 */
export function openPolicyTexts() {
  /** @type {Policy[]} */
  const policies = readData('policies.json')
  const index = policies.map((policy) => ({ policy, words: countWords(policy) }))
  return {
    /**
     * The passages that share the rarest words with the query, best first.
     * @param {string} query
     * @param {number} [limit]
     */
    search(query, limit = 2) {
      const asked = [...new Set(wordsOf(query))]
      return index
        .map(({ policy, words }) => ({ ...policy, score: round(score(asked, words, index)) }))
        .filter((passage) => passage.score > 0)
        .sort((a, b) => b.score - a.score || a.id.localeCompare(b.id))
        .slice(0, limit)
    },
  }
}

/**
 * @param {Order} order
 * @param {StoreCondition} condition
 * @returns {Order}
 */
function damage(order, { withoutField, replace }) {
  const copy = { ...order, ...replace }
  if (withoutField) delete (/** @type {Partial<Order>} */ (copy)[withoutField])
  return copy
}

/**
 * Sum over the asked words of: how often the passage has the word, times how few passages have it.
 * @param {string[]} asked
 * @param {Map<string, number>} words
 * @param {{ words: Map<string, number> }[]} index
 */
function score(asked, words, index) {
  let sum = 0
  for (const word of asked) {
    const passages = index.filter((entry) => entry.words.has(word)).length
    if (passages > 0) sum += Math.sqrt(words.get(word) ?? 0) * Math.log(1 + index.length / passages)
  }
  return sum
}

/** @param {Policy} policy */
function countWords({ title, text }) {
  const counts = new Map()
  // A word in the title says more about a passage than one in its text.
  for (const word of wordsOf(`${title} ${title} ${text}`)) counts.set(word, (counts.get(word) ?? 0) + 1)
  return counts
}

/**
 * Words in a form that "return", "returns" and "returned" share.
 * @param {string} text
 */
function wordsOf(text) {
  const words = text.toLowerCase().match(/[a-z]{3,}/g) ?? []
  return words.map((word) => word.replace(/(?:ed|s)$/, ''))
}

/** @param {number} value */
function round(value) {
  return Math.round(value * 1000) / 1000
}

/** @param {string} name */
function readData(name) {
  return JSON.parse(readFileSync(new URL(`data/${name}`, import.meta.url), 'utf8'))
}
