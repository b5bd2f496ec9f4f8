import { isDeepStrictEqual } from 'node:util';
import { parse } from 'yaml';
import { cached } from '../../cached.ts';
import { isNode, list, type Node, node, type Spec } from '../../openapi.ts';
import type { Service } from './service.ts';

/** Differences between the spec and the server's own pages, one sentence each: the spec files, and the docs page. */
export async function* docsPageErrors({ spec, get }: Service): AsyncGenerator<string> {
  const json = async (path: string): Promise<unknown> => (await get(path)).json().catch(() => undefined);
  const yaml = parsed(await (await get('/openapi.yaml')).text());
  const plain = JSON.parse(JSON.stringify(spec.root));
  if (!isDeepStrictEqual(JSON.parse(JSON.stringify(yaml)), plain)) yield '/openapi.yaml is not the spec';
  if (!isDeepStrictEqual(await json('/openapi.json'), plain)) yield '/openapi.json is not the spec';

  const { title, version } = node(spec.root.info);
  const page = await (await get('/docs')).text();
  if (!page.includes(`<title>${title} ${version}</title>`)) yield `/docs has another title than ${title} ${version}`;
  const presented = node(await json('/docs/openapi.json'));
  yield* differences(spec.root, presented, '');
  for (const { method, path, object } of spec.operations.values()) {
    const { summary, description } = node(node(node(presented.paths)[path])[method.toLowerCase()]);
    const missing = noticesOf(spec, node(object)).filter((notice) => !`${summary} ${description}`.includes(notice));
    for (const notice of missing) yield `/docs does not say of ${method} ${path}: ${notice}`;
  }
}

const parsed = cached((text: string): unknown => parse(text, { merge: true }));

/** The deprecation of an operation and its stability, with empty texts for facts that the spec does not state. */
function noticesOf({ operations }: Spec, operation: Node): string[] {
  const { deprecated, 'x-successor': successorId, 'x-stability-level': stability = '' } = operation;
  if (!deprecated) return [String(stability)];
  const [successor = ''] = operations.entries().find(([, { id }]) => id === successorId) ?? [];
  const dates = [operation['x-sunset'], operation['x-deprecated-since']]
    .filter((date) => typeof date === 'string')
    .map((date) => new Date(date).toLocaleDateString('en-GB', { dateStyle: 'long', timeZone: 'UTC' }));
  return ['deprecated', ...dates, successor, String(stability)];
}

/** The parts of the spec that the docs page lacks or changes. The page may add text, and may state an example in a description. */
function differences(spec: unknown, presented: unknown, at: string): string[] {
  if (Array.isArray(spec) && spec.length === list(presented).length)
    return spec.flatMap((item, i) => differences(item, list(presented)[i], `${at}/${i}`));
  if (!isNode(spec) || !isNode(presented)) {
    const isText = typeof spec === 'string' && /(summary|description)$/.test(at);
    const isShown = isText ? String(presented).includes(spec.trim()) : isDeepStrictEqual(spec, presented);
    return isShown ? [] : [`/docs shows ${at} as ${JSON.stringify(presented)?.slice(0, 100)}`];
  }
  const isInDescription = (name: string, value: unknown) =>
    name === 'example' && !(name in presented) && String(presented.description).includes(`\`${value}\``);
  // The page shows the address of this server instead of `servers`.
  return Object.entries(spec)
    .filter(([name, value]) => name !== 'servers' && !isInDescription(name, value))
    .flatMap(([name, value]) => differences(value, presented[name], `${at}/${name}`));
}
