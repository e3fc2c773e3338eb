import type { AnySchemaObject } from 'ajv'

// The part of the Compose specification that the shipped file uses, and nothing else: what is not here is a mistake, or
// has to be added after a look at the specification.

const duration = { type: 'string', pattern: String.raw`^(\d+(ms|s|m|h))+$` }
const text = { type: 'string', minLength: 1 }
const texts = { type: 'array', items: text, minItems: 1 }

const service = {
  type: 'object',
  additionalProperties: false,
  required: ['image'],
  properties: {
    image: text,
    build: {
      type: 'object',
      additionalProperties: false,
      required: ['context', 'dockerfile'],
      properties: { context: text, dockerfile: text },
    },
    entrypoint: texts,
    command: texts,
    // A boolean or a number is told to quote it: Compose takes booleans for no variable.
    environment: {
      type: 'object',
      propertyNames: { pattern: '^[A-Z][A-Z0-9_]*$' },
      additionalProperties: { type: 'string' },
    },
    volumes: {
      type: 'array',
      items: { type: 'string', pattern: String.raw`^(\./[\w./-]+|[a-z][a-z-]*):/[\w./-]+(:ro)?$` },
      uniqueItems: true,
    },
    ports: { type: 'array', items: { type: 'string', pattern: String.raw`^[\d.]+:\d+:\d+$` } },
    depends_on: {
      type: 'object',
      additionalProperties: {
        type: 'object',
        additionalProperties: false,
        required: ['condition'],
        properties: {
          condition: { enum: ['service_started', 'service_healthy', 'service_completed_successfully'] },
        },
      },
    },
    healthcheck: {
      type: 'object',
      additionalProperties: false,
      required: ['test', 'interval', 'timeout', 'retries'],
      properties: {
        test: { type: 'array', items: text, minItems: 2, contains: { const: 'CMD' } },
        interval: duration,
        timeout: duration,
        retries: { type: 'integer', minimum: 1 },
      },
    },
    network_mode: { const: 'none' },
    restart: { const: 'unless-stopped' },
    stop_grace_period: duration,
    read_only: { type: 'boolean' },
    tmpfs: texts,
    cap_drop: { const: ['ALL'] },
    security_opt: { const: ['no-new-privileges:true'] },
  },
}

/** A JSON Schema for `docker-compose.yml` after its variables have been replaced. */
export const composeSchema: AnySchemaObject = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  additionalProperties: false,
  required: ['name', 'services', 'volumes'],
  properties: {
    name: { type: 'string', pattern: '^[a-z0-9][a-z0-9_-]*$' },
    services: {
      type: 'object',
      propertyNames: { pattern: '^[a-z][a-z0-9-]*$' },
      additionalProperties: service,
    },
    volumes: { type: 'object', additionalProperties: { type: 'null' } },
  },
}
