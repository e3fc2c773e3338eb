import { VERSION } from '../../pipeline/version.ts'
import type { AnswerDescription, ApiRoute } from './api-route.ts'
import { chainRowSchema } from './chain-row.ts'
import { describeProblem } from './json-answer.ts'
import { type JsonSchema, schemaRef, valueSchema } from './json-schema.ts'
import { openTraceRowSchema } from './open-trace-row.ts'
import type { Parameter, ParameterSet } from './parameter.ts'

const problemSchema: JsonSchema = {
  description: 'Problem details (RFC 9457)',
  type: 'object',
  required: ['type', 'title', 'status', 'detail'],
  properties: {
    type: valueSchema('Kind of the problem', 'string'),
    title: valueSchema('Name of the kind', 'string'),
    status: { description: 'Status of the answer', type: 'integer' },
    detail: valueSchema('What is wrong with this request', 'string'),
    parameter: valueSchema('The parameter that could not be read', 'string'),
    expected: valueSchema('What it has to be', 'string'),
    found: valueSchema('What it is', 'string'),
  },
}

/**
 * Makes the OpenAPI 3.1 document of routes.
 *
 * @param reportSchema the JSON Schema of the report, which becomes the component `ChainReport`
 */
export function createOpenApiDocument(
  routes: readonly ApiRoute[],
  reportSchema: JsonSchema,
): Readonly<Record<string, unknown>> {
  return {
    openapi: '3.1.0',
    info: {
      title: 'agent-reach report service',
      version: VERSION,
      description: 'Reports of agent runs: which there are, what became of each, and the evidence.',
    },
    servers: [{ url: '/' }],
    security: [{}, { token: [] }],
    paths: Object.fromEntries(routes.map((route) => [route.path, { get: describeRoute(route) }])),
    components: {
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: 'Where the service was started with a token' },
      },
      schemas: {
        ChainReport: embedSchema(reportSchema),
        ChainRow: chainRowSchema,
        OpenTrace: openTraceRowSchema,
        Problem: problemSchema,
      },
    },
  }
}

function describeRoute(route: ApiRoute): JsonSchema {
  const parameters = [
    ...describeParameters('path', route.pathParameters),
    ...describeParameters('query', route.queryParameters),
    ...(route.headers ?? []).map((header) => ({ in: 'header', required: false, ...header })),
  ]
  return {
    operationId: route.operationId,
    summary: route.summary,
    ...(parameters.length === 0 ? {} : { parameters }),
    responses: {
      ...Object.fromEntries(
        withSharedAnswers(route).map(({ status, description, content }) => [
          String(status),
          { description, ...(content === undefined ? {} : { content: describeContent(content) }) },
        ]),
      ),
      default: {
        description: 'The server does not answer this request: no token, not its name, a failure of its own',
        content: describeContent({ 'application/problem+json': schemaRef('Problem') }),
      },
    },
  }
}

function describeParameters(place: 'path' | 'query', known: ParameterSet): readonly JsonSchema[] {
  return Object.entries(known).map(([name, parameter]) => ({
    name,
    in: place,
    required: place === 'path',
    description: parameter.description,
    ...describeValues(parameter),
  }))
}

function describeValues({ isList, schema }: Parameter<unknown>): JsonSchema {
  return isList ? { schema: { type: 'array', items: schema }, style: 'form', explode: true } : { schema }
}

function describeContent(content: Readonly<Record<string, JsonSchema>>): JsonSchema {
  return Object.fromEntries(Object.entries(content).map(([type, schema]) => [type, { schema }]))
}

function withSharedAnswers({ answers, ignoresQuery }: ApiRoute): readonly AnswerDescription[] {
  if (ignoresQuery === true) return answers
  const shared = [
    describeProblem(400, 'A parameter is unknown, malformed, or given twice'),
    describeProblem(503, 'The store cannot be read now'),
  ]
  return [...answers, ...shared.filter(({ status }) => !answers.some((answer) => answer.status === status))]
}

const ROOT_DEFINITIONS = '#/$defs/'
const EMBEDDED_DEFINITIONS = '#/components/schemas/ChainReport/$defs/'

/** Lets what the schema says of its own definitions be found in the document. */
function embedSchema(schema: JsonSchema): JsonSchema {
  const text = JSON.stringify({ ...schema, $schema: undefined }, (key, value: unknown) =>
    key === '$ref' && typeof value === 'string'
      ? value.replace(ROOT_DEFINITIONS, EMBEDDED_DEFINITIONS)
      : value,
  )
  return JSON.parse(text) as JsonSchema
}
