/** What the files of one folder of `src` may import beside their own folder. */
export interface Layer {
  /** Folders of `src`. */
  readonly folders: readonly string[]
  /** Packages by name; `node:*` stands for every module of Node. */
  readonly packages: readonly string[]
  /** Packages of which only types may be imported. */
  readonly types?: readonly string[]
}

const API = '@opentelemetry/api'

/** Everything up to `pipeline`, in the order of the flow: span, step, findings, chain, report. */
const upToReport = ['semconv', 'steps', 'findings', 'rules', 'pricing', 'chain', 'checks', 'report']

const upToRuntime = [...upToReport, 'pipeline', 'exporters', 'processors', 'judge', 'runtime']

/**
 * The layers of `src`. A folder imports from its own folder and from those in its row, nothing else. Folders that do
 * not exist yet stand here too, so that the first file in one finds its rule. `docs/architecture.md` shows the same
 * rows. A package comes in with a decision in `docs/decisions`.
 */
export const layers: Readonly<Record<string, Layer>> = {
  semconv: { folders: [], packages: ['@opentelemetry/semantic-conventions'] },
  steps: { folders: ['semconv'], packages: ['node:crypto'], types: [API] },
  findings: { folders: ['steps'], packages: [] },
  rules: { folders: ['steps', 'findings'], packages: ['yaml', 'ajv', 'node:fs', 'node:path'] },
  pricing: { folders: ['steps'], packages: ['@pydantic/genai-prices'] },
  chain: { folders: ['steps', 'findings', 'pricing'], packages: [] },
  checks: {
    folders: ['steps', 'findings', 'rules', 'pricing', 'chain'],
    packages: ['ajv', 'ajv-formats', 'safe-regex2'],
  },
  report: { folders: ['chain', 'findings', 'steps', 'pricing'], packages: ['string-width'] },
  pipeline: { folders: upToReport, packages: [], types: [API] },
  exporters: { folders: ['report', 'pipeline', 'steps', 'findings', 'rules'], packages: ['node:*'] },
  processors: {
    folders: ['exporters', 'pipeline', 'report', 'findings', 'rules', 'steps', 'semconv'],
    packages: [API, '@opentelemetry/api-logs'],
  },
  judge: { folders: ['pipeline', 'report', 'findings', 'rules', 'steps'], packages: [] },
  runtime: {
    folders: ['pipeline', 'processors', 'findings', 'rules', 'semconv'],
    packages: [API, 'node:async_hooks'],
  },
  adapters: { folders: ['runtime', 'pipeline', 'steps', 'semconv'], packages: [] },
  otlp: { folders: ['steps'], packages: ['node:*', 'fzstd'] },
  server: {
    folders: [
      'otlp',
      'pipeline',
      'report',
      'exporters',
      'processors',
      'chain',
      'findings',
      'rules',
      'steps',
      'semconv',
    ],
    packages: ['node:*', 'better-sqlite3'],
  },
  cli: {
    folders: [...upToRuntime, 'otlp', 'server'],
    packages: ['node:*', 'tinyglobby', 'cli-progress'],
  },
}

/** What `src/index.ts` may name: the public exports up to `runtime`. */
export const entryLayer: Layer = { folders: upToRuntime, packages: [] }

/** The only files that may be called `index.ts` and re-export. */
export const entries: readonly string[] = ['src/index.ts', 'src/semconv/index.ts', 'src/server/index.ts']

/** Where the environment, standard output and the end of the process may be touched. */
export function mayTouchProcess(path: string): boolean {
  return path.startsWith('src/cli/') || path === 'src/pipeline/environment.ts'
}
