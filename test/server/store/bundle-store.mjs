import { mkdtempSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { rolldown } from 'rolldown'

const root = join(import.meta.dirname, '../../..')

/**
 * Writes the store as one file that any Node of ours can load, in a folder from which the packages of this project are
 * found.
 *
 * @param {readonly string[]} [sources] further files of `src` whose exports are to be in it
 * @returns {Promise<string>} its path
 */
export async function bundleStore(sources = []) {
  const folder = mkdtempSync(join(tmpdir(), 'agent-reach-bundle-'))
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  const entry = 'store-entry'
  const files = ['server/open-store.ts', 'server/pack-report.ts', ...sources]
  const build = await rolldown({
    cwd: root,
    input: entry,
    platform: 'node',
    plugins: [
      {
        name: 'entry',
        resolveId: (id) => (id === entry ? id : null),
        load: (id) =>
          id === entry
            ? files.map((file) => `export * from ${JSON.stringify(join(root, 'src', file))}\n`).join('')
            : null,
      },
    ],
  })
  const file = join(folder, 'store.mjs')
  await build.write({ file, format: 'es', codeSplitting: false })
  await build.close()
  return file
}
