// D7: a change that breaks callers of the last release has a changeset that says so.
import { execFileSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Schema } from '@petstore/types';
import { root, textOf } from '../repository.ts';
import { type Report, readSpec, type Spec, specFile } from './spec.ts';

export async function check(now: Spec, report: Report): Promise<string | undefined> {
  const text = released();
  if (text === undefined) return 'nothing has been released, so there is nothing to compare with.';
  const before = readSpec(text);
  const isMajor = Number.parseInt(now.version, 10) > Number.parseInt(before.version, 10);
  const changesets = globSync('.changeset/*.md', { cwd: root }).map(
    (file) => textOf(file).split(/^---$/m)[1] ?? '',
  );
  if (isMajor || changesets.some((head) => /: *major *$/m.test(head))) return undefined;
  for (const what of breaks(before, now)) report(`${what} breaks callers of the last release`);
  return undefined;
}

/** The spec of the last release: that of the newest tag, or in tests the file DRIFT_BASE. */
function released(): string | undefined {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' });
  const { DRIFT_BASE: named } = process.env;
  if (named) return readFileSync(named, 'utf8');
  const tags = existsSync(join(root, '.git'))
    ? git('tag', '--list', '@petstore/spec@*', '--sort=-creatordate')
    : '';
  const [base] = tags.split('\n');
  return base ? git('show', `${base}:${specFile}`) : undefined;
}

/** What callers of one interface cannot do with another: what it no longer offers or assures them, and what it demands more. */
function breaks(before: Spec, now: Spec): string[] {
  const [old, current] = [termsOf(before), termsOf(now)];
  const isOffered = (offer: string) =>
    current.offers.has(offer) || current.offers.has(offer.replace(/ takes ".*/, ' takes any'));
  const gone = [...old.offers]
    .filter((offer) => !isOffered(offer))
    .map((offer) => `the removal of '${offer}'`);
  // What is new has no callers.
  const isKnown = ([term]: [string, number]) => old.offers.has(term.replace(/: .*/, ''));
  const exceeds = (bound: number, other = Number.NEGATIVE_INFINITY) => bound > other;
  const more = [...current.demands]
    .filter(isKnown)
    .filter(([demand, bound]) => exceeds(bound, old.demands.get(demand)));
  const less = [...old.assures].filter(([term, bound]) =>
    exceeds(bound, current.assures.get(term)),
  );
  return [
    ...gone,
    ...[...more, ...less].map(([term, bound]) => `'${term}${bound ? ` ${Math.abs(bound)}` : ''}'`),
  ];
}

/** What an interface offers its callers, and what it demands of those who send and assures those who read: a higher bound is more. */
function termsOf(spec: Spec) {
  const offers = new Set<string>();
  const demands = new Map<string, number>();
  const assures = new Map<string, number>();
  /** A reader relies on what always comes, and on nothing else coming; a sender on what is taken. */
  const add = (schema: Schema, place: string, isRead: boolean, depth = 0): void => {
    const { type, enum: listed, properties = {}, required = [], ...others } = spec.follow(schema);
    const types = [type]
      .flat()
      .flatMap((each) => (each === 'number' && !isRead ? ['number', 'integer'] : [each]));
    const values = listed?.map((value) => JSON.stringify(value)) ?? ['any'];
    offers.add(place);
    for (const each of isRead ? [types.join(' or ')] : types) offers.add(`${place}: type ${each}`);
    for (const each of values) if (!isRead) offers.add(`${place} takes ${each}`);
    if (isRead) offers.add(`${place} is ${values.sort().join(' or ')}`);
    for (const name of required)
      if (isRead) offers.add(`${place} always has ${name}`);
      else demands.set(`${place}: needs ${name}`, 0);
    for (const [key, value] of Object.entries(others)) {
      const bounds = isRead ? assures : demands;
      if (/min|max/i.test(key))
        bounds.set(`${place}: ${key}`, /min/i.test(key) ? Number(value) : -Number(value));
      else if (/^(?:pattern|format|const)$/.test(key)) bounds.set(`${place}: ${key} ${value}`, 0);
      else if (key === 'default' && !isRead) offers.add(`${place} is ${value} if it is left out`);
    }
    if (depth > 6) return;
    for (const [name, property] of Object.entries(properties))
      add(property, `${place} ${name}`, isRead, depth + 1);
    if (others.items) add(others.items, `${place} items`, isRead, depth + 1);
    for (const part of [others.oneOf, others.anyOf, others.allOf].flat())
      if (part) add(part, place, isRead, depth + 1);
  };
  for (const [name, url] of Object.entries(spec.deployments))
    offers.add(`the server ${name} at ${url}`);
  for (const { id, method, path, command, fields, responses, ...operation } of spec.operations) {
    const { pagination = {}, idempotencyKey, successes, headers } = operation;
    const others = [
      ...successes,
      ...Object.entries(pagination).map(String),
      idempotencyKey?.header ?? '',
    ];
    for (const what of ['', `${method} ${path}`, command.join(' '), ...others])
      offers.add(`${id} ${what}`.trim());
    for (const [name, { required, schema, in: where }] of Object.entries(fields)) {
      add(schema, `${id} ${name}`, false);
      offers.add(`${id} ${name} in ${where}`);
      if (required) demands.set(`${id}: needs ${name}`, 0);
    }
    for (const [status, { schema }] of Object.entries(responses)) {
      offers.add(`${id} ${status}${schema ? ' with' : ' without'} a body`);
      if (schema) add(schema, `${id} ${status}`, true);
      for (const header of Object.keys(headers[status] ?? {}))
        offers.add(`${id} ${status} with ${header}`);
    }
  }
  return { offers, demands, assures };
}
