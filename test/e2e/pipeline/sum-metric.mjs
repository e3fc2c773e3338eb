/**
 * Adds up the values of a counter of the Collector.
 *
 * @param {{ metricsUrl: string }} collector it
 * @param {string} name without `_total`, which is there or not by version
 * @param {string} [label] what the line must have
 * @returns {Promise<number>} 0 where there is no such line
 */
export async function sumMetric({ metricsUrl }, name, label = '') {
  const text = await (await fetch(metricsUrl)).text()
  const lines = text.split('\n').filter((line) => new RegExp(`^${name}(?:_total)?\\{`, 'u').test(line))
  return lines
    .filter((line) => line.includes(label))
    .reduce((total, line) => total + Number(line.slice(line.lastIndexOf(' '))), 0)
}
