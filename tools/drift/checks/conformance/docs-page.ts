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

/** The facts of an operation that the spec states only in its extensions: deprecation, dates, successor and stability. */
function noticesOf({ operations }: Spec, operation: Node): string[] {
  const {
    deprecated,
    'x-sunset': sunset,
    'x-deprecated-since': since,
    'x-successor': id,
    'x-stability-level': stability,
  } = operation;
  const successor = [...operations].find(([, operation]) => operation.id === id)?.[0];
  const days = [sunset, since]
    .filter((day) => typeof day === 'string')
    .map((day) => new Date(day).toLocaleDateString('en-GB', { dateStyle: 'long', timeZone: 'UTC' }));
  return [
    ...(deprecated ? ['deprecated', ...days, ...(successor ? [successor] : [])] : []),
    ...(typeof stability === 'string' ? [stability] : []),
  ];
}

/** The parts of the spec that the docs page omits or changes. The page may extend texts, and may state an example in the description. */
function differences(spec: unknown, presented: unknown, at: string): string[] {
  if (Array.isArray(spec) && spec.length === list(presented).length)
    return spec.flatMap((item, i) => differences(item, list(presented)[i], `${at}/${i}`));
  if (!isNode(spec) || !isNode(presented)) {
    const isText = typeof spec === 'string' && /(summary|description)$/.test(at);
    const isShown = isText ? String(presented).includes(spec.trim()) : isDeepStrictEqual(spec, presented);
    return isShown ? [] : [`/docs shows ${at} as ${JSON.stringify(presented)?.slice(0, 100)}`];
  }
  return Object.entries(spec).flatMap(([name, value]) => {
    if (name === 'servers') return [];
    const isInText =
      name === 'example' && !(name in presented) && String(presented.description).includes(`\`${value}\``);
    return isInText ? [] : differences(value, presented[name], `${at}/${name}`);
  });
}
