import { Readable } from 'node:stream';
import type { Field, Operation, RequestBody, Schema } from '@petstore/types';
import { help } from '../src/commands/help/help.ts';
import { inputOf } from '../src/commands/input.ts';
import { fullTree } from '../src/commands/tree.ts';
import { parse } from '../src/internal.ts';
import { processIo } from '../src/io/io.ts';
import { errorReport } from '../src/output/report.ts';
import type { Invocation } from '../src/parse/command.ts';

export const json: RequestBody = { required: true, mediaType: 'application/json', kind: 'json' };

/** An operation whose body has properties of these schemas. */
export function operation(schemas: Record<string, Schema>, body: RequestBody = json): Operation {
  const fields = Object.entries(schemas).map(([name, schema]): [string, Field] => [
    name,
    { in: 'body', required: false, description: 'One.', schema },
  ]);
  return {
    id: 'putThing',
    method: 'PUT',
    path: '/things',
    command: ['things', 'put'],
    responses: { '200': { description: 'It.' } },
    successes: ['200'],
    success: 200,
    summary: 'Put a thing',
    description: 'Puts it.',
    tags: ['things'],
    deprecated: false,
    security: [],
    body,
    fields: Object.fromEntries(fields),
  };
}

/** The input that a command line makes. */
export async function input(of: Operation, argv: string[], stdin = ''): Promise<Record<string, unknown>> {
  const root = fullTree([of]);
  const parsed = parse(root, ['things', 'put', ...argv]);
  const io = { ...processIo(), stdin: () => Readable.from([Buffer.from(stdin)]) };
  // Inputs depend on neither the settings nor the connection, which are left out.
  return inputOf(of, { ...parsed, root, io, operations: [of] } as unknown as Invocation);
}

/** What petctl says of a command line that it refuses. */
export async function refusal(of: Operation, ...argv: string[]): Promise<string> {
  const error: unknown = await input(of, argv).then(
    (data) => new Error(`it is accepted as ${JSON.stringify(data)}`),
    (reason: unknown) => reason,
  );
  const { message, hint } = errorReport(error);
  return `${message} ${hint}`;
}

export const helpOf = (of: Operation) => {
  const node = fullTree([of]).commands?.[0]?.commands?.find(({ name }) => name === 'put');
  return node ? help({ path: ['things', 'put'], node }, processIo()) : '';
};
