import { isDeepStrictEqual } from 'node:util';
import { deploymentsOf } from '../../../generate/service.ts';
import { type Document, type Operation, operationsOf, type Parameter, type Root } from '../../../openapi/document.ts';
import { isIgnored } from '../../../openapi/serialize.ts';
import { list, type Node, node, type Spec } from '../../openapi.ts';
import {
  became,
  byRules,
  type Change,
  compareExtensible,
  compareMaps,
  deprecation,
  each,
  Location,
  named,
  type Rule,
  type Rules,
  unequal,
} from './location.ts';
import { compareBodies, compareParameters, compareResponses } from './messages.ts';
import { compareSchemas } from './schemas.ts';
import { compareSchemes, compareSecurity } from './security.ts';

/** The changes between two specs for the users of the interface. `today` decides whether a sunset has come. */
export function compareSpecs(before: Spec, after: Spec, today: string): Change[] {
  const at = new Location({ before, after, today, where: '', direction: 'request' });
  compareOperations(before.operations, after.operations, at);
  byRules(documentRules)(before.root, after.root, at);
  return at.changes;
}

type Operations = ReadonlyMap<string, Operation>;

function compareOperations(before: Operations, after: Operations, at: Location, kind = 'operation'): void {
  compareMaps(before, after, (endpoint) => at.inside(endpoint), {
    removed: (here, { object }) => reportRemoved(node(object), here, kind),
    added: (here) => here.added(kind),
    both: compareOperation,
  });
}

/** A removal breaks nobody if the operation was deprecated and its sunset has come. */
function reportRemoved({ deprecated, 'x-sunset': sunset }: Node, at: Location, kind: string): void {
  const report = (detail: string) => at.major(`${kind} removed`, detail);
  if (deprecated !== true) report('it was removed without being deprecated');
  else if (typeof sunset !== 'string') report('it was removed without a sunset');
  else if (sunset > at.scope.today) report(`it was removed before its sunset on ${sunset}`);
  else at.minor(`${kind} removed after its sunset`, 'it was removed as announced');
}

function compareOperation(before: Operation, after: Operation, at: Location): void {
  byRules(operationRules)(node(before.object), node(after.object), at);
  compareSecurity(before.security, after.security, at);
  compareParameters(parametersOf(before), parametersOf(after), at);
  const [addresses, addressesAfter] = [ownAddresses(before, at.scope.before), ownAddresses(after, at.scope.after)];
  if (!isDeepStrictEqual(addresses, addressesAfter))
    at.major('servers of the operation changed', became('servers', addresses, addressesAfter));
}

/** The parameters by their locations and names, without the headers that OpenAPI ignores. */
function parametersOf({ parameters, idempotencyKey }: Operation): Map<string, Node> {
  const keyOf = ({ in: location, name }: Parameter) =>
    `${location} ${location === 'header' ? name.toLowerCase() : name}`;
  const all = idempotencyKey ? [...parameters, idempotencyKey] : parameters;
  return new Map(
    all.filter((parameter) => !isIgnored(parameter)).map((parameter) => [keyOf(parameter), node(parameter)]),
  );
}

/** The addresses of the operation's own servers; undefined if it has the servers of the document. */
function ownAddresses({ servers }: Operation, { root }: Document): string[] | undefined {
  return servers === root.servers ? undefined : Object.values(deploymentsOf({ servers }));
}

/** The least stable level first. */
const stabilityLevels: readonly unknown[] = ['experimental', 'beta', undefined];

const compareStability: Rule = ({ 'x-stability-level': before }, { 'x-stability-level': after }, at) => {
  if (before === after) return;
  const isLess = stabilityLevels.indexOf(after) < stabilityLevels.indexOf(before);
  const [level, rule] = isLess ? (['major', 'stability lowered'] as const) : (['minor', 'stability raised'] as const);
  at.report(level, rule, `${before ?? 'stable'} became ${after ?? 'stable'}`);
};

const compareSunset: Rule = ({ 'x-sunset': before }, { 'x-sunset': after, deprecated }, at) => {
  if (typeof before !== 'string') return;
  if (typeof after === 'string' && after < before) at.major('sunset brought forward', `${before} became ${after}`);
  if (after === undefined && deprecated) at.major('sunset removed', 'the deprecated operation has no sunset now');
};

const comparePaging: Rule = ({ 'x-pagination': before }, { 'x-pagination': after }, at) => {
  if (!isDeepStrictEqual(before, after))
    at.report(before ? 'major' : 'minor', 'paging changed', 'x-pagination differs');
};

/** Compares callbacks or webhooks, whose requests the service sends to the client. */
function compareCalls(before: unknown, after: unknown, at: Location, kind: string): void {
  const callsOf = ({ root }: Document, paths: unknown): Operations => {
    const operations = operationsOf({ root: { ...root, paths: node(paths) as NonNullable<Root['paths']> } });
    return new Map(operations.map((operation) => [`${operation.method} ${operation.path}`, operation]));
  };
  compareOperations(callsOf(at.scope.before, before), callsOf(at.scope.after, after), at.reversed(), kind);
}

const compareDeployments: Rule = (before, after, at) => {
  const deploymentsIn = (root: Node) => {
    const servers = list(root.servers).map(node);
    const addresses = Object.entries(deploymentsOf(root));
    return new Map(addresses.map(([name, address], i) => [name, { address, server: servers[i] ?? {} }] as const));
  };
  const [deployments, deploymentsAfter] = [deploymentsIn(before), deploymentsIn(after)];
  compareMaps(deployments, deploymentsAfter, (name) => at.inside(`deployment ${name}`), {
    removed: (here) => here.removed('deployment'),
    added: (here) => here.added('deployment'),
    both: ({ address, server }, now, here) => {
      if (address !== now.address) here.major('deployment address changed', `${address} became ${now.address}`);
      byRules(serverRules)(server, now.server, here);
    },
  });
  const [[first = ''], [firstAfter]] = [deployments.keys(), deploymentsAfter.keys()];
  if (first !== firstAfter && deploymentsAfter.has(first))
    at.inside(`deployment ${first}`).major('default deployment changed', `${firstAfter} is the first one now`);
};

/** Compares path items. `compareOperations` compares their operations, and reports added and removed paths. */
const comparePaths: Rule = (before, after, at) =>
  compareExtensible(before.paths, after.paths, at, '', { both: byRules(pathItemRules) });

const pathItemRules = each(
  '$ref parameters servers get put post delete options head patch trace',
  () => 'compareOperations',
);

/** The rules of a variable in a server's URL. */
const variableRules: Rules = {
  default: 'compareDeployments',
  enum: ({ enum: before }, { enum: after }, at) => compareSchemas({ enum: before }, { enum: after }, at),
};

const serverRules: Rules = {
  ...each('url x-deployment', () => 'compareDeployments'),
  variables: named('variables', 'variable', byRules(variableRules)),
};

const operationRules: Rules = {
  ...each('operationId tags x-command', () => 'compareNames'),
  ...each('parameters security servers', () => 'compareOperation'),
  requestBody: compareBodies,
  responses: compareResponses,
  callbacks: named('callbacks', 'callback', (before, after, at) =>
    compareCalls(before, after, at.inside(' '), 'callback'),
  ),
  deprecated: deprecation('operation'),
  'x-sunset': compareSunset,
  'x-deprecated-since': unequal('minor', 'x-deprecated-since', 'deprecation date'),
  'x-successor': unequal('minor', 'x-successor', 'successor'),
  'x-stability-level': compareStability,
  'x-no-idempotency-key': 'documentation',
  'x-pagination': comparePaging,
};

const documentRules: Rules = {
  ...each('openapi info tags', () => 'documentation'),
  servers: compareDeployments,
  paths: comparePaths,
  webhooks: (before, after, at) => compareCalls(before.webhooks, after.webhooks, at.inside('webhook '), 'webhook'),
  // Other components are compared where they are used.
  components: compareSchemes,
  security: 'compareSecurity',
};
