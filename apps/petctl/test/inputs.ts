import { Readable } from 'node:stream';
import type { Field, Operation, RequestBody, Schema } from '@petstore/types';
import { help } from '../src/commands/help/help.ts';
import { inputOf } from '../src/commands/input-from-flags.ts';
import { fullTree } from '../src/commands/tree.ts';
import { processIo } from '../src/io/process-io.ts';
import { reportOf } from '../src/output/report.ts';
import type { Invocation } from '../src/parse/command.ts';
import { parse } from '../src/parse/parser.ts';

export const json: RequestBody = { required: true, mediaType: 'application/json', kind: 'json' };

/** The streams of this process, which all tests share, because each call of processIo registers listeners. */
export const io = processIo();

/** An operation without inputs. */
export const bareOperation: Operation = {
  id: 'listThings',
  method: 'GET',
  path: '/things',
  command: ['things', 'list'],
  responses: { '200': { description: 'The response.' } },
  successes: ['200'],
  success: 200,
  summary: 'List things',
  description: 'Lists things.',
  tags: ['things'],
  deprecated: false,
  security: [],
  fields: {},
};

/** An optional input. */
export function field(schema: Schema, location: Field['in'] = 'query'): Field {
  return { in: location, required: false, description: 'One.', schema };
}

/** An operation whose body has properties of these schemas. */
export function operation(schemas: Record<string, Schema>, body: RequestBody = json): Operation {
  const fields = Object.entries(schemas).map(([name, schema]) => [name, field(schema, 'body')] as const);
  return {
    ...bareOperation,
    id: 'putThing',
    method: 'PUT',
    command: ['things', 'put'],
    body,
    fields: Object.fromEntries(fields),
  };
}

/** The input that a command line results in. */
export async function input(of: Operation, argv: string[], stdin = ''): Promise<Record<string, unknown>> {
  const root = fullTree([of]);
  const parsed = parse(root, ['things', 'put', ...argv]);
  const withStdin = { ...io, stdin: () => Readable.from([Buffer.from(stdin)]) };
  // Inputs need neither settings nor a transport, so the cast leaves them out.
  return inputOf(of, { ...parsed, root, io: withStdin, operations: [of] } as unknown as Invocation);
}

/** The message and the hint for an invalid command line. */
export async function usageError(of: Operation, ...argv: string[]): Promise<string> {
  const error: unknown = await input(of, argv).then(
    (data) => new Error(`it is valid: ${JSON.stringify(data)}`),
    (reason: unknown) => reason,
  );
  const { message, hint } = reportOf(error);
  return `${message} ${hint}`;
}

/** The help of an operation's command. */
export const helpOf = (of: Operation) => {
  const node = fullTree([of]).commands?.[0]?.commands?.find(({ name }) => name === 'put');
  return node ? help({ path: ['things', 'put'], node }, io) : '';
};
