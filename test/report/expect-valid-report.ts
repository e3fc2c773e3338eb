import { readFileSync } from 'node:fs'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { expect } from 'vitest'

/** The schema of the chain report as it is shipped. */
export const reportSchema: Readonly<Record<string, unknown>> = JSON.parse(
  readFileSync(new URL('../../src/report/chain-report.schema.json', import.meta.url), 'utf8'),
)

const validate: ValidateFunction = new Ajv2020({ allErrors: true, allowUnionTypes: true }).compile(
  reportSchema,
)

/** Where a report does not fit the schema: a JSON Pointer and what is wrong, one entry each; empty where it fits. */
export function findSchemaErrors(report: unknown): readonly string[] {
  // Reports are judged as they are written: what JSON does not keep, such as undefined, is no part of them.
  validate(JSON.parse(JSON.stringify(report)))
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)
}

/** Fails the test, naming every deviation, where a report does not fit the schema. */
export function expectValidReport(report: unknown): void {
  expect(findSchemaErrors(report)).toEqual([])
}
