// Loaded before a measured server: answers on the channel to its parent what the process has used up to now.
process.on('message', (what) => {
  if (what !== 'usage') return
  globalThis.gc?.()
  const { userCPUTime, systemCPUTime } = process.resourceUsage()
  const { rss, heapUsed, heapTotal, external } = process.memoryUsage()
  process.send({ cpuMs: (userCPUTime + systemCPUTime) / 1_000, rss, heapUsed, heapTotal, external })
})
// The channel must not keep a server alive that has been stopped.
process.channel?.unref()
