import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export const root: string = join(import.meta.dirname, '../..')

/** A fenced block of a page. */
export interface Snippet {
  readonly page: string
  /** Where the block begins, from 1. */
  readonly line: number
  /** The word behind the fence; empty for plain text. */
  readonly language: string
  readonly text: string
}

/** The pages whose snippets are run. `docs/cli.md` has a test of its own, generated pages have none. */
export function listPages(): readonly string[] {
  const docs = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md') && name !== 'cli.md')
    .map((name) => `docs/${name.replaceAll('\\', '/')}`)
  return ['README.md', 'CONTRIBUTING.md', ...docs.toSorted()]
}

/** The fenced blocks of a page, those in lists too. */
export function readSnippets(page: string): readonly Snippet[] {
  const text = readFileSync(join(root, page), 'utf8')
  return [...text.matchAll(/^(?<indent> *)```(?<language>\w*)\n(?<body>[\s\S]*?)^\k<indent>```$/gmu)].map(
    ({ groups = {}, index }) => ({
      page,
      line: text.slice(0, index).split('\n').length,
      language: groups['language'] ?? '',
      text: (groups['body'] ?? '')
        .split('\n')
        .map((line) => line.slice(groups['indent']?.length))
        .join('\n'),
    }),
  )
}

const servicePages: ReadonlySet<string> = new Set(['docs/service.md', 'docs/api.md'])

/** Whether a snippet starts or asks a report service; `service-doc.test.ts` runs those. */
export function needsService({ page, language, text }: Snippet): boolean {
  if (language === 'js') return servicePages.has(page)
  return language === 'sh' && (servicePages.has(page) || text.includes('npx agent-reach serve'))
}

/** A line of a shell block: commands that run one after the other, and the exit code that its comment promises. */
export interface CommandLine {
  readonly commands: readonly (readonly string[])[]
  readonly exitCode: number
}

/** The command lines of a shell block. Quotes, pipes and variables are beyond it, and throw. */
export function readCommandLines({ page, line, text }: Snippet): readonly CommandLine[] {
  return text.split('\n').flatMap((raw) => {
    const [command = '', comment = ''] = raw.split(/(?:^|\s+)#\s*/u)
    if (command.trim() === '') return []
    if (/['"`|<>$\\;]/u.test(command)) throw new Error(`Cannot run '${command}' of ${page}, line ${line}`)
    const exitCode = Number(/^exit (?<code>\d+)/u.exec(comment)?.groups?.['code'] ?? 0)
    return [{ commands: command.split('&&').map((part) => part.trim().split(/\s+/u)), exitCode }]
  })
}
