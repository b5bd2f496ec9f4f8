import type { Notice } from '@petstore/client';
import { operations } from '@petstore/types';
import { noticeLine } from '../errors/notice.ts';
import type { Invocation } from '../invocation.ts';
import { inJson } from '../out/output-options.ts';
import { commandNames } from '../tree/names.ts';
import { successorOf } from '../tree/operation-node.ts';

/** Tells of a deprecated operation on stderr. */
export async function tellDeprecation(notice: Notice, { io, settings, path }: Invocation): Promise<void> {
  await io.stderr.write(noticeLine(sentence(notice, path), inJson(settings)));
}

function sentence({ operation, sunset }: Notice, path: readonly string[]): string {
  const all = Object.values(operations);
  const names = commandNames(all);
  const found = all.find(({ id }) => id === operation);
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
