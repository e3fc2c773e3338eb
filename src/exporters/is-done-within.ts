/**
 * Waits for work, but no longer than so many milliseconds. The timer holds the process: a program that waits for the
 * answer is to get it.
 *
 * @returns `true` where the work was done in time; rejects where it failed in time
 */
export async function isDoneWithin(work: Promise<unknown>, millis: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), millis)
  })
  const isDone = await Promise.race([work.then(() => true), late]).finally(() => clearTimeout(timer))
  return isDone
}
