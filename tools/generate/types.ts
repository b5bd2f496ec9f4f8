// The TypeScript types of schemas and operations, by hey-api.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@hey-api/openapi-ts';
import { followed, type Node, node } from './table.ts';

/** `types.gen.ts`. hey-api can only write files, and deletes what is in its folder, so it gets a fresh one. */
export async function typesModule(document: Node): Promise<string> {
  const { schemas } = node(document.components);
  const scratch = await mkdtemp(join(tmpdir(), 'petstore-types-'));
  const named = (part: string) => (id: string) => operationType(id, part);
  const preserve = { case: 'preserve' } as const;
  try {
    await createClient({
      input: {
        ...node(inputOf(document, document)),
        components: { schemas: inputOf(schemas, document) },
      },
      logs: { level: 'silent', file: false },
      output: {
        path: scratch,
        clean: false,
        entryFile: false,
        header: [],
        module: { extension: '.ts' },
        postProcess: [],
      },
      plugins: [
        {
          name: '@hey-api/typescript',
          // The type `ClientOptions` goes to a file that is not read.
          $hooks: {
            symbols: {
              getFilePath: ({ meta }) => (meta?.resource === 'client' ? 'unused' : undefined),
            },
          },
          definitions: { ...preserve, name: typeName },
          requests: { ...preserve, name: named('Data') },
          responses: { ...preserve, name: named('Responses'), response: named('Response') },
          errors: { ...preserve, name: named('Errors'), error: named('Error') },
          $resolvers: {
            number: ({ $, schema }) => (isWide(schema) ? $.type('number | bigint') : undefined),
          },
        },
      ],
    });
    return await readFile(join(scratch, 'types.gen.ts'), 'utf8');
  } finally {
    await rm(scratch, { recursive: true });
  }
}

/** Whether an integer may be beyond the exact numbers: one of more than 32 bits without bounds within them. */
function isWide({ type, format, minimum, maximum, enum: values, const: only }: Node): boolean {
  const isBounded = Number.isSafeInteger(minimum) && Number.isSafeInteger(maximum);
  return type === 'integer' && format !== 'int32' && !isBounded && !values && only === undefined;
}

/**
 * A copy of the document for hey-api: without the idempotency key, which is no input of an operation, without extensions, with the
 * description of its target at each property that is a reference, where editors show it, and with references to schemas only.
 */
function inputOf(part: unknown, document: Node): unknown {
  if (Array.isArray(part))
    return part
      .filter((item) => followed(document, item)['x-idempotency-key'] !== true)
      .map((item) => inputOf(item, document));
  if (Object(part) !== part) return part;
  const { $ref } = node(part);
  if (typeof $ref === 'string' && !$ref.startsWith('#/components/schemas/'))
    return inputOf(followed(document, part), document);
  const members = Object.entries(node(part)).filter(([key]) => !key.startsWith('x-'));
  return Object.fromEntries(
    members.map(([key, value]) => [
      key,
      key === 'properties' ? described(node(value), document) : inputOf(value, document),
    ]),
  );
}

function described(properties: Node, document: Node): Node {
  return Object.fromEntries(
    Object.entries(properties).map(([name, property]) => {
      const { description } = followed(document, property);
      return [
        name,
        { ...(description !== undefined && { description }), ...node(inputOf(property, document)) },
      ];
    }),
  );
}

/** The TypeScript name of a schema. It must hide neither a global type nor an export of the packages. */
export function typeName(schema: string): string {
  return taken.has(schema) ? `Api${schema}` : schema;
}

const taken = new Set(
  (
    'Array ArrayBuffer AsyncGenerator AsyncIterable Awaited BigInt Blob Boolean Date Error Event Exclude Extract File Function ' +
    'Headers Infinity Iterable Map Math NonNullable Number Object Omit Partial Pick Promise Readonly ReadonlyArray Record RegExp ' +
    'Request Required Response Set String Symbol URL Api Arguments Call CallError CallOptions ConditionalOptions Deployment Field Hooks ' +
    'IdempotencyKey Input Methods Operation OperationId OperationResponse Operations Options Outcome Page PageCall Pagination ' +
    'Petstore Result Retry Schema ServiceErrorCode Success Wire PetstoreError ResponseError UnauthorizedError NotFoundError RateLimitedError ' +
    'InvalidRequestError ServerError UnexpectedResponseError ConnectionError TimeoutError AbortedError InexactNumberError'
  ).split(' '),
);

/** The name of a type of an operation, such as `ListPetsData`. */
export const operationType = (id: string, part: string) =>
  `${id.charAt(0).toUpperCase()}${id.slice(1)}${part}`;
