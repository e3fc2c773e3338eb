import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { GENERATOR, VERSION } from '../src/pipeline/version.ts'
import { PRICE_DATA } from '../src/pricing/estimate-cost.ts'

interface Manifest {
  readonly version: string
  readonly dependencies: Readonly<Record<string, string>>
}

const root = join(import.meta.dirname, '..')

function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as Manifest
}

describe('VERSION', () => {
  it('is the version of the manifest', () => {
    expect(VERSION).toBe(readManifest('.').version)
    expect(GENERATOR).toBe(`agent-reach@${VERSION}`)
  })
})

describe('PRICE_DATA', () => {
  it('names the pinned version of the price package, which is the installed one', () => {
    const pinned = readManifest('.').dependencies['@pydantic/genai-prices']
    expect(PRICE_DATA).toBe(`genai-prices@${pinned}`)
    expect(readManifest('node_modules/@pydantic/genai-prices').version).toBe(pinned)
  })
})
