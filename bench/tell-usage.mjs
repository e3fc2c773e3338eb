// Loaded before a measured server: answers on the channel to its parent what the process has used up to now. Memory is
// told after a collection where one can be asked for, which costs time itself.
process.on('message', (what) => {
  if (what === 'memory') {
    globalThis.gc?.()
    process.send(process.memoryUsage())
  }
  if (what === 'usage') {
    const { userCPUTime, systemCPUTime } = process.resourceUsage()
    process.send({ cpuMs: (userCPUTime + systemCPUTime) / 1_000 })
  }
})
// The channel must not keep a server alive that has been stopped.
process.channel?.unref()
