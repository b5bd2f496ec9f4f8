import { isDeepStrictEqual } from 'node:util';
import { parse } from 'yaml';
import { cached } from '../../cached.ts';
import { isNode, list, type Node, node, type Spec } from '../../openapi.ts';
import type { Service } from './service.ts';

/** Differences between the spec and the server's own pages, one sentence each: the spec files, and the docs page. */
export async function docsPageErrors({ spec, get }: Service): Promise<string[]> {
  const json = async (path: string): Promise<unknown> => (await get(path)).json().catch(() => undefined);
  const page = await (await get('/docs')).text();
  const { title, version } = node(spec.root.info);
  const yaml = parsed(await (await get('/openapi.yaml')).text());
  const plain = JSON.parse(JSON.stringify(spec.root));
  const file = await json('/openapi.json');
  const presented = node(await json('/docs/openapi.json'));
  return [
    ...(isDeepStrictEqual(JSON.parse(JSON.stringify(yaml)), plain) ? [] : ['/openapi.yaml is not the spec']),
    ...(isDeepStrictEqual(file, plain) ? [] : ['/openapi.json is not the spec']),
    ...(page.includes(`<title>${title} ${version}</title>`)
      ? []
      : [`/docs has another title than ${title} ${version}`]),
    ...differences(spec.root, presented, ''),
    ...[...spec.operations.values()].flatMap(({ method, path, object }) => {
      const { summary, description } = node(node(node(presented.paths)[path])[method.toLowerCase()]);
      const words = `${summary} ${description}`;
      return noticesOf(spec, node(object))
        .filter((notice) => !words.includes(notice))
        .map((notice) => `/docs does not say of ${method} ${path}: ${notice}`);
    }),
  ];
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
  if (typeof spec === 'string' && typeof presented === 'string' && /(summary|description)$/.test(at))
    return presented.includes(spec.trim()) ? [] : [`/docs shows ${at} as ${JSON.stringify(presented).slice(0, 100)}`];
  if (Array.isArray(spec) && spec.length === list(presented).length)
    return spec.flatMap((item, i) => differences(item, list(presented)[i], `${at}/${i}`));
  if (!isNode(spec) || !isNode(presented))
    return isDeepStrictEqual(spec, presented)
      ? []
      : [`/docs shows ${at} as ${JSON.stringify(presented)?.slice(0, 100)}`];
  return Object.entries(spec).flatMap(([name, value]) => {
    if (name === 'servers') return [];
    const isInText =
      name === 'example' && !(name in presented) && String(presented.description).includes(`\`${value}\``);
    return isInText ? [] : differences(value, presented[name], `${at}/${name}`);
  });
}
