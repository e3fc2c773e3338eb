/**
 * Lets the process end while a timer waits.
 *
 * @param timer as Node gives it; a number, as a simulated browser puts in its place, holds no process anyway
 * @returns the same timer
 */
export function unrefTimer<T>(timer: T): T {
  const { unref } = Object(timer) as { readonly unref?: () => unknown }
  if (typeof unref === 'function') unref.call(timer)
  return timer
}
