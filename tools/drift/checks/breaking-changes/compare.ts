import { isDeepStrictEqual } from 'node:util';
import { deploymentsOf } from '../../../generate/service.ts';
import { type Document, type Operation, operationsOf, type Parameter, type Root } from '../../../openapi/document.ts';
import { isIgnored } from '../../../openapi/serialize.ts';
import { list, type Node, node, type Spec } from '../../openapi.ts';
import { compareBodies, compareParameters, compareResponses } from './messages.ts';
import {
  announced,
  type Change,
  compareByRules,
  compareExtensible,
  compareMaps,
  deprecation,
  documentation,
  each,
  elsewhere,
  fixed,
  Location,
  named,
  type Rule,
  type Rules,
} from './rules.ts';
import { compareSchemas } from './schemas.ts';
import { compareSchemes, compareSecurity } from './security.ts';

/** The changes between two specs for the users of the interface. `today` decides whether a sunset has come. */
export function compareSpecs(before: Spec, after: Spec, today: string): Change[] {
  const at = new Location({ before, after, today, where: '', direction: 'request' });
  compareOperations(before.operations, after.operations, at);
  compareByRules(documentRules, before.root, after.root, at);
  return at.changes;
}

type Operations = ReadonlyMap<string, Operation>;

function compareOperations(was: Operations, is: Operations, at: Location, name = 'operation'): void {
  compareMaps(was, is, {
    removed: (endpoint, { object }) => reportRemoved(node(object), at.inside(endpoint), name),
    added: (endpoint) => at.inside(endpoint).added(name),
    both: (endpoint, one, other) => compareOperation(one, other, at.inside(endpoint)),
  });
}

function reportRemoved({ deprecated, 'x-sunset': sunset }: Node, at: Location, name: string): void {
  if (deprecated === true && typeof sunset === 'string' && sunset <= at.scope.today)
    return at.minor(`${name} removed after its sunset`, 'it was removed as announced');
  const date = typeof sunset === 'string' ? `before its sunset on ${sunset}` : 'without a sunset';
  const when = deprecated === true ? date : 'without being deprecated';
  at.major(`${name} removed`, `it was removed ${when}`);
}

function compareOperation(one: Operation, other: Operation, at: Location): void {
  compareByRules(operationRules, node(one.object), node(other.object), at);
  compareSecurity(one.security, other.security, at);
  compareParameters(parametersOf(one), parametersOf(other), at);
  const { before, after } = at.scope;
  compareOwnServers(ownServers(one, before), ownServers(other, after), at);
}

/** The parameters by their places and names, without the headers that OpenAPI ignores. */
function parametersOf({ parameters, idempotencyKey }: Operation): Map<string, Node> {
  const keyOf = ({ in: place, name }: Parameter) => `${place} ${place === 'header' ? name.toLowerCase() : name}`;
  const sent = [...parameters, idempotencyKey ?? []].flat().filter((one) => !isIgnored(one));
  return new Map(sent.map((one) => [keyOf(one), node(one)]));
}

const compareOwnServers = fixed(
  'servers',
  'servers of the operation',
  (servers) => servers && Object.values(deploymentsOf({ servers: servers as Root['servers'] })),
);

const ownServers = ({ servers }: Operation, { root }: Document): Node => (servers === root.servers ? {} : { servers });

/** The least stable level first. */
const levels: readonly unknown[] = ['experimental', 'beta', undefined];

const compareStability: Rule = ({ 'x-stability-level': was }, { 'x-stability-level': is }, at) => {
  if (was === is) return;
  const isLess = levels.indexOf(is) < levels.indexOf(was);
  at.report(
    isLess ? 'major' : 'minor',
    `stability ${isLess ? 'lowered' : 'raised'}`,
    `${was ?? 'stable'} became ${is ?? 'stable'}`,
  );
};

const compareSunset: Rule = ({ 'x-sunset': was }, { 'x-sunset': is, deprecated }, at) => {
  if (typeof was !== 'string') return;
  if (typeof is === 'string' && is < was) at.major('sunset brought forward', `${was} became ${is}`);
  if (is === undefined && deprecated) at.major('sunset removed', 'nothing says how long it stays');
};

const comparePaging: Rule = ({ 'x-pagination': was }, { 'x-pagination': is }, at) => {
  if (!isDeepStrictEqual(was, is)) at.report(was ? 'major' : 'minor', 'paging changed', 'x-pagination differs');
};

/** Callbacks and webhooks: the service sends their requests, and the client answers. */
function compareCalls(was: unknown, is: unknown, at: Location, name: string): void {
  const callsOf = ({ root }: Document, paths: unknown): Operations => {
    const operations = operationsOf({ root: { ...root, paths: node(paths) as NonNullable<Root['paths']> } });
    return new Map(operations.map((one) => [`${one.method} ${one.path}`, one]));
  };
  const { before, after } = at.scope;
  compareOperations(callsOf(before, was), callsOf(after, is), at.reversed(), name);
}

const compareDeployments: Rule = (before, after, at) => {
  const deployments = (root: Node) =>
    new Map(Object.keys(deploymentsOf(root)).map((name, i) => [name, node(list(root.servers)[i])] as const));
  const [was, is] = [deployments(before), deployments(after)];
  const here = (name: string) => at.inside(`deployment ${name}`);
  compareMaps(was, is, {
    removed: (name) => here(name).removed('deployment'),
    added: (name) => here(name).added('deployment'),
    both: (name, one, other) => compareByRules(serverRules, one, other, here(name)),
  });
  const [[first = ''], [now]] = [[...was.keys()], [...is.keys()]];
  if (first !== now && is.has(first)) here(first).major('default deployment changed', `${now} is the first one now`);
};

const compareAddresses: Rule = (before, after, at) => {
  const [was, is] = [before, after].map((server) => Object.values(deploymentsOf({ servers: [server] }))[0]);
  if (was !== is) at.major('deployment address changed', `${was} became ${is}`);
};

const comparePaths: Rule = (before, after, at) =>
  // compareOperations reports added and removed paths.
  compareExtensible(before.paths, after.paths, at, {
    both: (path, was, is) => compareByRules(pathRules, was, is, at.inside(path)),
  });

const pathRules: Rules = each(
  '$ref parameters servers get put post delete options head patch trace',
  // compareOperations
  () => elsewhere,
);

/** The rules of a variable in a server's address. */
const variableRules: Rules = {
  // compareAddresses
  default: elsewhere,
  enum: ({ enum: was }, { enum: is }, at) => compareSchemas({ enum: was ?? undefined }, { enum: is ?? undefined }, at),
};

const compareVariables = named('variables', 'variable', (was, is, at) => compareByRules(variableRules, was, is, at));

const serverRules: Rules = {
  url: compareAddresses,
  variables: (before, after, at) => {
    compareAddresses(before, after, at);
    compareVariables(before, after, at);
  },
  // compareDeployments
  'x-deployment': elsewhere,
};

const operationRules: Rules = {
  // compareNames
  ...each('operationId tags x-command', () => elsewhere),
  // compareOperation
  ...each('parameters security servers', () => elsewhere),
  requestBody: compareBodies,
  responses: compareResponses,
  callbacks: named('callbacks', 'callback', (was, is, at) => compareCalls(was, is, at.inside(' '), 'callback')),
  deprecated: deprecation('operation'),
  'x-sunset': compareSunset,
  'x-deprecated-since': announced('x-deprecated-since', 'deprecation dated'),
  'x-successor': announced('x-successor', 'successor changed'),
  'x-stability-level': compareStability,
  // A reason, for the spec check.
  'x-no-idempotency-key': documentation,
  'x-pagination': comparePaging,
};

const documentRules: Rules = {
  ...each('openapi info tags', () => documentation),
  servers: compareDeployments,
  paths: comparePaths,
  webhooks: (before, after, at) => compareCalls(before.webhooks, after.webhooks, at.inside('webhook '), 'webhook'),
  // Other components are compared where they are used.
  components: compareSchemes,
  // compareSecurity
  security: elsewhere,
};
