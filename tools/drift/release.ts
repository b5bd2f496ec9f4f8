// D7: a change that breaks callers of the last release has a changeset that says so.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { released, root, textOf } from '../repository.ts';
import { commandOf } from './petctl.ts';
import { type Body, list, type Node, node, readSpec, type Spec, specFile, urlOf } from './spec.ts';
import type { Report } from './values.ts';

const levels = ['', 'patch', 'minor', 'major'] as const;
type Change = (level: 'minor' | 'major', what: string) => void;
type Pair<T> = readonly [before: T, now: T];

export async function check(now: Spec, report: Report): Promise<string | undefined> {
  const base = baseOf();
  if (!base) return 'nothing has been released, so there is nothing to compare with.';
  const before = readSpec(base.text);
  const [old = [], current = []] = [before, now].map(({ document }) =>
    String(node(document.info).version).split('.').map(Number),
  );
  const raised = current.findIndex((number, i) => number > (old[i] ?? 0));
  const changesets = readdirSync(join(root, '.changeset')).filter(
    (file) => file.endsWith('.md') && file !== 'README.md',
  );
  const heads = changesets.map((file) => textOf(`.changeset/${file}`).split(/^---$/m)[1] ?? '');
  // After `npm run version`, the version says what the changesets said.
  const saidOf = (name: string) => {
    const said = heads.map((head) => new RegExp(`^["']?${name}["']?: *(\\w+)`, 'm').exec(head)?.[1] ?? '');
    return Math.max(raised < 0 ? 0 : 3 - raised, ...said.map((level) => levels.indexOf(level as 'major')));
  };
  const known = released.map((folder): string => JSON.parse(textOf(`${folder}/package.json`)).name);
  for (const [, name = '', level = ''] of heads.join('').matchAll(/^["']?([^"':\n]+)["']?: *(\w+)/gm))
    if (!known.includes(name) || !levels.includes(level as 'major')) report(`a changeset says ${level} of ${name}`);
  const names = released.filter(base.has).map((folder): string => JSON.parse(textOf(`${folder}/package.json`)).name);
  compare([before, now], [before, now].map(interfaceOf) as [Node, Node], [], (level, what) => {
    const missing = names.filter((name) => saidOf(name) < levels.indexOf(level));
    const effect = level === 'major' ? 'breaks callers of the last release' : 'is new since the last release';
    if (missing.length > 0)
      report(`${what} ${effect}`, `undo it, or say ${level} in a changeset of ${missing.join(', ')}`);
  });
  return undefined;
}

/** The spec of the last release, and whether a package was in it; undefined if there was no release. */
function baseOf(): { text: string; has: (folder: string) => boolean } | undefined {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' });
  const { PETSTORE_BASE: named } = process.env;
  if (named && existsSync(named)) return { text: readFileSync(named, 'utf8'), has: () => true };
  const isCheckout = existsSync(join(root, '.git'));
  const tags = isCheckout ? git('tag', '--list', '@petstore/spec@*', 'v[0-9]*', '--sort=-creatordate') : '';
  const ref = named ?? tags.split('\n')[0];
  if (!ref) return undefined;
  const files = git('ls-tree', '-r', '--name-only', ref).split('\n');
  return { text: git('show', `${ref}:${specFile}`), has: (folder) => files.includes(`${folder}/package.json`) };
}

/** What callers depend on. */
function interfaceOf({ document, operations }: Spec): Node {
  const servers = list(document.servers)
    .map(node)
    .map((each) => [`the server ${each['x-deployment']}`, urlOf(each)]);
  const rows = operations.map((operation) => {
    const { id, method, path, pagination, declared, parameters, idempotencyKey, body, responses } = operation;
    const key = idempotencyKey ? [idempotencyKey] : [];
    const fields = [...parameters, ...key, ...(body ? [{ ...body, name: 'body', in: 'request' }] : [])];
    const inputs = fields.map(({ name, in: place, ...rest }) => {
      const { required = false, schema, type: media = '' } = rest as Partial<Body>;
      return [`${name} in ${place}`, { required, schema, media }];
    });
    const answers = Object.entries(responses).map(([status, { headers, body: { type: media = '', schema } = {} }]) => {
      const needed = Object.entries(headers).map(([name, { required = false, schema }]) => [
        name,
        { required, schema },
      ]);
      return [status, { media, schema, headers: Object.fromEntries(needed) }];
    });
    const removal = declared.deprecated ? (declared['x-sunset'] ?? '') : '9999';
    const names = { operationId: id, command: commandOf(operation), pagination, removal };
    return [
      `${method} ${path}`,
      { ...names, inputs: Object.fromEntries(inputs), answers: Object.fromEntries(answers) },
    ];
  });
  const { security } = document;
  return { security, servers: Object.fromEntries(servers), operations: Object.fromEntries(rows) };
}

/** The objects whose keys are names. */
const maps = ['servers', 'operations', 'inputs', 'answers', 'headers', 'properties'];

/**
 * Compares two values, and what is in them. Narrowing a request breaks its senders, and widening a response breaks its readers. What
 * has no rule is taken for breaking.
 */
function compare(
  specs: Pair<Spec>,
  values: Pair<unknown>,
  place: readonly string[],
  change: Change,
  above: unknown[] = [],
): void {
  const [was, is] = [specs[0].follow(node(values[0])), specs[1].follow(node(values[1]))];
  const map = maps.includes(place.at(-1) ?? '') && !maps.includes(place.at(-2) ?? '') ? place.at(-1) : undefined;
  for (const key of new Set([...Object.keys(was), ...Object.keys(is)])) {
    const [old, now] = [was[key], is[key]];
    const path = [...place, key];
    const [from, to] = [old, now].map((value) => JSON.stringify(value)?.slice(0, 60) ?? 'nothing');
    const what = `${path.filter((name) => !maps.includes(name)).join(' ')} ${from} → ${to}`;
    const narrower = (isNarrower: boolean) => change(isNarrower === place.includes('inputs') ? 'major' : 'minor', what);
    const isInside = [old, now].every((value) => Object(value) === value && (!Array.isArray(value) || /Of$/.test(key)));
    const less = (a: unknown, b: unknown) => [a ?? []].flat().some((each) => ![b ?? []].flat().includes(each));
    if (!map && /^(?:title|description|examples?|deprecated)$/.test(key)) continue;
    if (isInside) above.includes(old) || compare(specs, [old, now], path, change, [...above, old]);
    else if (isDeepStrictEqual(old, now)) continue;
    else if (map === 'answers') change(/^[23]|default/.test(key) ? 'major' : 'minor', what);
    else if (map) change(old !== undefined || (map === 'inputs' && node(now).required) ? 'major' : 'minor', what);
    else if (key === 'removal') change(String(now) < String(old) && old !== '9999' ? 'major' : 'minor', what);
    else if (typeof now === 'boolean' && key === 'required') narrower(now);
    else if (/^(?:exclusiveM|m)in/.test(key)) narrower(Number(now ?? -Infinity) > Number(old ?? -Infinity));
    else if (/^(?:exclusiveM|m)ax/.test(key)) narrower(Number(now ?? Infinity) < Number(old ?? Infinity));
    else if (key === 'required' || (/^(?:enum|type)$/.test(key) && old && now)) {
      if (less(old, now)) narrower(key !== 'required');
      if (less(now, old)) narrower(key === 'required');
    } else change('major', what);
  }
}
