import type { Notice } from '@petstore/client';
import { noticeLine } from '../errors/notice.ts';
import type { Invocation } from '../invocation.ts';
import { inJson } from '../out/output-options.ts';
import { commandNames } from '../tree/names.ts';
import { successorOf } from '../tree/operation-node.ts';

/** Tells of a deprecated operation on stderr. */
export async function tellDeprecation(notice: Notice, invocation: Invocation): Promise<void> {
  const { io, settings } = invocation;
  await io.stderr.write(noticeLine(sentence(notice, invocation), inJson(settings)));
}

function sentence({ operation, sunset }: Notice, { operations, path }: Invocation): string {
  const names = commandNames(operations);
  const found = operations.find(({ id }) => id === operation);
  const successor = found && successorOf(found, names);
  return `${deprecated(`'petctl ${path.join(' ')}'`, sunset)}${successor ? ` Use '${successor}' instead.` : ''}`;
}

/** The sentence for whatever is deprecated. */
export function deprecated(what: string, sunset: string | undefined): string {
  return `${what} is deprecated${sunset ? ` and may be gone from ${day(sunset)} on` : ''}.`;
}

/** The service announces a moment, the spec a day. */
function day(sunset: string): string {
  const time = Date.parse(sunset);
  return Number.isNaN(time) ? sunset : new Date(time).toISOString().slice(0, 10);
}
