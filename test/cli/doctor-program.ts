import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

const root = join(import.meta.dirname, '../..')

/** The start of a set-up that has everything at hand. */
export const imports: string = `
import { writeFileSync } from 'node:fs'
import { context, trace } from '@opentelemetry/api'
import * as sdk from '@opentelemetry/sdk-trace-node'
import { AgentReachProcessor, ChainReportExporter } from 'agent-reach'
`

/** A set-up as it should be. */
export const goodSetup: string = `${imports}
new sdk.NodeTracerProvider({
  spanProcessors: [new AgentReachProcessor(), new sdk.BatchSpanProcessor(new sdk.ConsoleSpanExporter())],
}).register()
`

/** The same, and nothing that exports. */
export const silencedSetup: string = goodSetup.replace(/, new sdk\.Batch.*(?=\])/u, '')

/** Installs this package, the SDK and the api for the program in a folder. */
export function installProgram(folder: string): void {
  link(folder, 'agent-reach', root)
  for (const name of ['api', 'sdk-trace-node', 'sdk-trace-base']) {
    link(folder, `@opentelemetry/${name}`, join(root, 'node_modules/@opentelemetry', name))
  }
}

function link(folder: string, name: string, target: string): void {
  const path = join(folder, 'node_modules', name)
  mkdirSync(dirname(path), { recursive: true })
  symlinkSync(target, path)
}

/** A folder of a program, with this package, the SDK and the api installed. */
export class DoctorProgram {
  readonly folder: string = mkdtempSync(join(tmpdir(), 'doctor-'))

  constructor() {
    installProgram(this.folder)
  }

  /** @returns the path of the file as one would give it to `node --import` */
  write(name: string, text: string): string {
    mkdirSync(dirname(this.at(name)), { recursive: true })
    writeFileSync(this.at(name), text)
    return `./${name}`
  }

  /** Puts another version of the api in the place of the one that the SDK has. */
  replaceApi(version: string): void {
    const folder = this.at('node_modules/@opentelemetry/api')
    rmSync(folder)
    cpSync(join(root, 'node_modules/@opentelemetry/api'), folder, { recursive: true })
    for (const name of ['package.json', 'build/src/version.js']) {
      const text = readFileSync(join(folder, name), 'utf8')
      writeFileSync(
        join(folder, name),
        text.replace(/(?<=version"?:? *=? *["'])[\d.]+|(?<=VERSION = ')[\d.]+/giu, version),
      )
    }
  }

  at(name: string): string {
    return join(this.folder, name)
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true })
  }
}

/** A folder in whose `node_modules` lie packages of which only the manifest is there. */
export function installManifests(folder: string, versions: Readonly<Record<string, string>>): void {
  for (const [name, version] of Object.entries(versions)) {
    const path = join(folder, 'node_modules', name)
    mkdirSync(path, { recursive: true })
    writeFileSync(join(path, 'package.json'), JSON.stringify({ name, version }))
  }
}
