// Loaded before a measured program: tells on file descriptor 3 what the process used.
import { writeSync } from 'node:fs'

process.on('exit', () => {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage()
  writeSync(3, JSON.stringify({ cpuMs: (userCPUTime + systemCPUTime) / 1_000, maxRssMiB: maxRSS / 1_024 }))
})
