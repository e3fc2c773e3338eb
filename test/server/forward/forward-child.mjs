// Forwards what is queued in a store, in a process of its own, which a test kills, or asks to end.
//
//   node forward-child.mjs BUNDLE STORE URL
const [bundle, path, url] = process.argv.slice(2)
const { ForwardSender, openStore } = await import(bundle)

const store = await openStore({ path, now: Date.now })
const sender = new ForwardSender({
  store,
  url: new URL(url),
  now: Date.now,
  random: Math.random,
  log: () => {},
})
sender.start()

process.on('SIGTERM', async () => {
  await sender.stop(10_000)
  await store.close()
})
