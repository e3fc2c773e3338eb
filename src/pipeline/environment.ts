/**
 * Has something done when the program has nothing left to do. What it starts then keeps the process until it is done,
 * and the call comes again after that.
 *
 * @returns a function that takes it back
 */
export function onBeforeExit(work: () => void): () => void {
  process.on('beforeExit', work)
  return () => {
    process.off('beforeExit', work)
  }
}
