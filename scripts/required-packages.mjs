/** How a source makes the `require` with which it loads a package when the package is first needed. */
const DECLARATION =
  /^import \{ createRequire \} from 'node:module'$|^const require = createRequire\(import\.meta\.url\)$/gmu

const CALL = /\brequire\('(?<name>[^']+)'\)/gu

/** The CommonJS file that loads packages for the ES modules of a build. */
const LOADER = 'required-packages.cjs'

/**
 * A plugin for packages that are loaded when they are first needed. In CommonJS `require` does it by itself. In ES
 * modules a small CommonJS file does: unlike what `createRequire` makes, its calls are seen by the bundlers that users
 * put the package into, and it asks for no `import.meta.url`, which they may leave empty.
 *
 * @param {'esm' | 'cjs'} format
 */
export function requiredPackages(format) {
  const names = new Set()
  return {
    name: 'required-packages',
    resolveId: (id) => (id === LOADER ? { id, external: 'absolute' } : null),
    transform: {
      filter: { id: /\.ts$/u, code: 'createRequire' },
      handler(code, id) {
        const plain = code.replace(DECLARATION, '')
        if (plain.includes('createRequire'))
          this.error(`${id} makes its require in a way that cannot be built`)
        if (format === 'cjs') return plain
        const calls = plain.replace(CALL, (_, name) => {
          names.add(name)
          return `requirePackage('${name}')`
        })
        return `import { requirePackage } from '${LOADER}'\n${calls}`
      },
    },
    renderChunk(code, chunk) {
      const up = '../'.repeat(chunk.fileName.split('/').length - 1) || './'
      return code.replace(`from "${LOADER}"`, `from "${up}${LOADER}"`)
    },
    generateBundle() {
      if (names.size > 0) this.emitFile({ type: 'asset', fileName: LOADER, source: toLoader([...names]) })
    },
  }
}

function toLoader(names) {
  const rows = names.map((name) => `  '${name}': () => require('${name}'),`)
  return [
    `'use strict'`,
    'const packages = {',
    ...rows,
    '}',
    'exports.requirePackage = (name) => packages[name]()',
    '',
  ].join('\n')
}
