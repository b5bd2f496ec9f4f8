import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import type { Reported } from '../../drift/check.ts';
import { checks, runCheck } from '../../drift/checks.ts';
import { openProject, type Project } from '../../drift/project.ts';
import { generatedFrom } from './planting.ts';

const spec = 'spec/openapi.yaml';
const orders = 'spec/orders.yaml';
const handlers = 'apps/server/src/handlers.ts';
const collections = 'apps/server/src/collections.ts';

const text = (file: string) => readFileSync(join(import.meta.dirname, 'operations', file), 'utf8');

/** The repository as it is with other operations in the spec, their handlers, and all that is generated. */
async function withOperations(project: Project): Promise<Project> {
  const { 'x-parts': _, ...paths } = parse(text('paths.yaml'), { merge: true });
  const document = parse(project.read(spec));
  // The first operation needs no key.
  document.paths = { '/about': paths['/about'], ...document.paths, ...paths };
  document.components.securitySchemes.ticket = { type: 'apiKey', in: 'query', name: 'ticket' };
  document.tags.push(
    ...['service', 'searches', 'orders', 'visits', 'files'].map((name) => ({ name, description: `All ${name}.` })),
  );
  const inserted = (file: string, marker: string, more: string, front = '') => {
    const before = project.read(file);
    if (!before.includes(marker)) throw new Error(`there is no ${marker} in ${file}`);
    return { [file]: before.replace(marker, `${front}${marker}\n${more}`) };
  };
  const written = project.with({
    [spec]: stringify(document, { aliasDuplicateObjects: false }),
    [orders]: text('orders.yaml'),
    ...inserted(handlers, '  return {', text('handlers.ts.txt'), '  const notes = {};\n'),
    ...inserted(
      collections,
      'export const collections = {',
      "  orders: collectionOf('orders', operations.listOrders),\n  visits: collectionOf('visits', operations.listVisits),",
    ),
  });
  return written.with(await generatedFrom(written));
}

let before: Map<string, Reported[]>;
let project: Project;
beforeAll(async () => {
  const shipped = openProject();
  const found = checks.map(async (check) => [check.name, await runCheck(check, shipped)] as const);
  before = new Map(await Promise.all(found));
  project = await withOperations(shipped);
});

const findings = async (name: string, edited: Project) => {
  const check = checks.find((one) => one.name === name);
  if (!check) throw new Error(`there is no check ${name}`);
  return (await runCheck(check, edited)).filter(
    (one) => !before.get(name)?.some(({ actual, where }) => actual === one.actual && where === one.where),
  );
};

describe('operations of all shapes, which are right', () => {
  test.each(checks.map(({ name }) => name).filter((name) => name !== 'breakingChanges'))(
    'are no finding for %s',
    async (name) => {
      expect(await findings(name, project)).toEqual([]);
    },
  );

  test("may have error codes of their own with the statuses of the server's codes", async () => {
    const text = project
      .read(spec)
      .replace(
        'x-statuses:',
        'x-statuses:\n        already_sold: 409\n        too_many_pets: 429\n        closed: 503',
      );
    const edited = project.with({ [spec]: text });
    expect(await findings('client', edited.with(await generatedFrom(edited)))).toEqual([]);
  });

  test('are additions since the base', async () => {
    const rules = (await findings('breakingChanges', project)).map(({ actual, where }) => `${where}: ${actual}`);
    expect(rules.filter((rule) => !rule.endsWith(': operation added: it is new'))).toEqual([]);
  });
});

describe('the check finds', () => {
  const calls = 'packages/client/src/gen/calls.gen.ts';
  const flags = 'apps/petctl/src/commands/operation-flags.ts';
  const drifts: [check: string, what: string, file: string, find: string | RegExp, by: string][] = [
    ['conformance', 'a value of a map', handlers, "{ one: 'Petstore' }", '{ one: 1 }'],
    ['conformance', 'null where there is none', handlers, "names: { one: 'Petstore' }", 'names: null'],
    [
      'conformance',
      'a property deep inside',
      handlers,
      'create(order)',
      "create({ ...order, lines: [{ petId: 1, price: '2' }] })",
    ],
    [
      'conformance',
      'a property that is only written',
      handlers,
      'createOrder: async ({ secret, ...order })',
      'createOrder: async ({ ...order })',
    ],
    [
      'conformance',
      'a response to a call that needs no store',
      handlers,
      'findPets: async () => []',
      'findPets: async () => [1]',
    ],
    ['conformance', 'a success that is not declared', handlers, 'order.due ? 200 : 202', 'order.due ? 200 : 203'],
    [
      'conformance',
      'nothing where a body is declared',
      handlers,
      'searchPets: async () => []',
      'searchPets: async () => undefined',
    ],
    ['conformance', 'a success instead of a 404', handlers, /if \(outcome !== 'removed'\).*/, ''],
    [
      'conformance',
      'a change of state that rejects its repetition',
      handlers,
      'const { id, ...pet } = found.decode();',
      "const { id, ...pet } = found.decode(); if (pet.status === 'sold') throw new HttpError('invalid_request', '', { status: 409 });",
    ],
    ['conformance', 'a create that rejects every body', handlers, 'await pets().get(visit.petId)', 'visit.x'],
    ['conformance', 'a status that nothing leads to', handlers, 'status: 403', 'status: 400'],
    [
      'conformance',
      'a cursor that leads to the same page',
      handlers,
      'next: from + size < 3 ? from + size : null',
      'next: from',
    ],
    [
      'conformance',
      'a missing key in the query',
      'apps/server/src/http/authentication.ts',
      'const isPublic =',
      "if (request.method !== 'POST' && operation?.path === '/orders' && !request.url?.includes('ticket')) return 'nobody';\n  const isPublic =",
    ],
    ['conformance', 'a note that is skipped', handlers, 'word > after', "word > after + 'x'"],
    ['conformance', 'an element that is no cursor', handlers, 'filter((at) => at > from)', 'filter((at) => at > 0)'],
    ['client', 'another name of a header', calls, "inHeaders('X-Reason')", "inHeaders('X-Reasons')"],
    ['client', 'another place of a cookie', calls, "inCookies('session')", "inQueryOf('session')"],
    ['client', 'a credential that is not needed', calls, "path: '/about',", "path: '/about', authorize,"],
    ['petctl', 'a list that takes one value', flags, / && \{ repeatable: true \}/, ' && {}'],
    [
      'routes',
      'a path of another file',
      'apps/server/src/http/routes.ts',
      '(service.basePath + path)',
      "(service.basePath + path.replace('orders/', 'order/'))",
    ],
  ];
  test.each(drifts)('%s: %s', async (name, _, file, find, by) => {
    const text = project.read(file);
    const edited = text.replace(find, by);
    expect(edited).not.toBe(text);
    expect(await findings(name, project.with({ [file]: edited }))).not.toEqual(await findings(name, project));
  });
});
