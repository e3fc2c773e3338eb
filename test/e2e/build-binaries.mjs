// Builds what the tests of the whole pipeline run: the Collector, Jaeger and a sender in Go. What is in the cache is not
// built again.
//
//   node test/e2e/build-binaries.mjs
import { findMissingGo } from './binaries/go-program.mjs'
import { buildCollector, buildGoSender, buildJaeger } from './binaries/programs.mjs'

const missing = findMissingGo()
if (missing === null) {
  for (const build of [buildGoSender, buildCollector, buildJaeger]) console.log(await build())
} else {
  console.log(`NOT BUILT: it needs ${missing}`)
  process.exitCode = 1
}
