// D7: a change that breaks callers of the last release has a changeset that says so.
import { execFileSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { root, textOf } from '../repository.ts';
import { type Operation, type Report, readSpec, type Schema, type Spec, specFile } from './spec.ts';

export async function check(now: Spec, report: Report): Promise<string | undefined> {
  const text = released();
  if (text === undefined) return 'nothing has been released, so there is nothing to compare with.';
  const before = readSpec(text);
  const isMajor = Number.parseInt(now.version, 10) > Number.parseInt(before.version, 10);
  const changesets = globSync('.changeset/*.md', { cwd: root }).map((file) => textOf(file).split(/^---$/m)[1] ?? '');
  if (isMajor || changesets.some((head) => /: *major *$/m.test(head))) return undefined;
  for (const what of breaks(before, now)) report(`${what} breaks callers of the last release`);
  return undefined;
}

/** The spec of the last release: of the newest tag, or of the commit or the file in DRIFT_BASE. */
function released(): string | undefined {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' });
  const { DRIFT_BASE: named } = process.env;
  if (named && existsSync(named)) return readFileSync(named, 'utf8');
  const tags = existsSync(join(root, '.git')) ? git('tag', '--list', '@petstore/spec@*', '--sort=-creatordate') : '';
  const base = named ?? tags.split('\n')[0];
  return base ? git('show', `${base}:${specFile}`) : undefined;
}

/** What callers of one interface cannot do with another. */
function breaks(before: Spec, now: Spec): string[] {
  const found: string[] = [];
  const specs = [before, now] as const;
  const unequal = (what: string, from: unknown, to: unknown) => {
    if (!isDeepStrictEqual(from, to))
      found.push(`${what} ${JSON.stringify(from)} → ${JSON.stringify(to) ?? 'nothing'}`);
  };
  for (const [name, url] of Object.entries(before.deployments))
    unequal(`the server ${name}`, url, now.deployments[name]);
  for (const old of before.operations) {
    const { id, fields } = old;
    const operation = now.operations.find((each) => each.id === id);
    if (!operation) found.push(`the removal of ${id}`);
    if (!operation) continue;
    for (const key of ['method', 'path', 'command', 'pagination', 'successes'] as const)
      unequal(`${id} ${key}`, old[key], operation[key]);
    unequal(`${id} idempotencyKey`, old.idempotencyKey?.header, operation.idempotencyKey?.header);
    if (old.sunset && String(operation.sunset) < old.sunset) found.push(`${id} sunset ${operation.sunset}`);
    for (const [name, field] of Object.entries(operation.fields)) {
      const was = fields[name];
      if (field.required && !was?.required) found.push(`${id} ${name}, which is now required,`);
      if (was) found.push(...narrowings(specs, [was.schema as Schema, field.schema as Schema], `${id} ${name}`));
    }
    for (const name of Object.keys(fields)) if (!operation.fields[name]) found.push(`the removal of ${id} ${name}`);
    found.push(...responseBreaks(specs, old, operation));
  }
  return found;
}

/** A reader must find all that it could find, and nothing that it could not: what is widened for it is narrowed in reverse. */
function responseBreaks([before, now]: readonly [Spec, Spec], old: Operation, operation: Operation): string[] {
  return Object.entries(old.responses).flatMap(([status, { schema }]) => {
    const response = operation.responses[status] ?? operation.responses.default;
    const place = `${old.id} ${status}`;
    if (!response || Boolean(schema) !== Boolean(response.schema)) return [`the removal of ${place}`];
    const pair = [response.schema as Schema, schema as Schema] as const;
    return schema ? narrowings([now, before], pair, place, true) : [];
  });
}

/** What the second schema forbids and the first allows. For readers, a new property is none, and a lost one is. */
function narrowings(
  specs: readonly [Spec, Spec],
  schemas: readonly [Schema | undefined, Schema | undefined],
  place: string,
  isRead = false,
  above: readonly unknown[] = [],
): string[] {
  const [wide, narrow] = [specs[0].follow(schemas[0]), specs[1].follow(schemas[1])];
  if (above.includes(schemas[1])) return [];
  const inside = (a: Schema | undefined, b: Schema | undefined, name: string) =>
    narrowings(specs, [a, b], `${place} ${name}`, isRead, [...above, schemas[1]]);
  const values = (schema: Schema, key: string) => (schema[key] === undefined ? undefined : [schema[key]].flat());
  const isLess = (key: string) => {
    const [some, all] = [values(narrow, key), values(wide, key)];
    if (key === 'required') return some?.some((each) => !all?.includes(each));
    return some && (!all || all.some((each) => !some.includes(each)));
  };
  const isNarrower = (key: string) => {
    const [some, all] = [narrow[key], wide[key]];
    if (/^(?:required|enum|type)$/.test(key)) return isLess(key);
    if (/min/i.test(key)) return Number(some ?? -Infinity) > Number(all ?? -Infinity);
    if (/max/i.test(key)) return Number(some ?? Infinity) < Number(all ?? Infinity);
    return (
      !/^(?:title|description|examples?|deprecated|default|x-.*|properties|items)$/.test(key) &&
      !isDeepStrictEqual(some, all)
    );
  };
  const keys = [...new Set([...Object.keys(wide), ...Object.keys(narrow)])].filter(isNarrower);
  const told = keys.map((key) => {
    const [from, to] = (isRead ? [narrow, wide] : [wide, narrow]).map((each) => JSON.stringify(each[key]) ?? 'nothing');
    return `${place} ${key} ${from?.slice(0, 60)} → ${to?.slice(0, 60)}`;
  });
  const [before, now] = isRead ? [narrow, wide] : [wide, narrow];
  const properties = Object.entries(before.properties ?? {}).flatMap(([name]) =>
    now.properties?.[name]
      ? inside(wide.properties?.[name], narrow.properties?.[name], name)
      : [`the removal of ${place} ${name}`],
  );
  return [...told, ...properties, ...(wide.items && narrow.items ? inside(wide.items, narrow.items, 'items') : [])];
}
