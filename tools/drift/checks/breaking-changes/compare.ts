import { deploymentsOf } from '../../../generate/model.ts';
import { type Operation, resolve } from '../../../openapi/document.ts';
import { list, type Node, node, type Spec } from '../../openapi.ts';
import {
  type Change,
  type CompareSchemas,
  type Comparison,
  type Direction,
  type Report,
  reportUnknown,
  schemaComparison,
} from './schemas.ts';

/** The changes between two specs for the users of the interface. `today` decides whether a sunset has come. */
export function compareSpecs(before: Spec, after: Spec, today: string): Change[] {
  const changes: Change[] = [];
  const report: Report = (level, rule, where, detail) => void changes.push({ level, rule, where, detail });
  const comparison: Comparison = { before, after, report };
  const context: Context = { ...comparison, compareSchemas: schemaComparison(comparison) };
  const [was, is] = [before.operations, after.operations];
  for (const [endpoint, operation] of was) {
    const now = is.get(endpoint);
    if (now) compareOperations(endpoint, operation, now, context);
    else if (isPastSunset(node(operation.object), today))
      report('minor', 'operation removed after its sunset', endpoint, 'it was removed as announced');
    else report('major', 'operation removed', endpoint, sunsetOf(node(operation.object)));
  }
  for (const endpoint of is.keys()) if (!was.has(endpoint)) report('minor', 'operation added', endpoint, 'it is new');
  compareSchemes(context);
  compareDeployments(before, after, report);
  return changes;
}

interface Context extends Comparison {
  readonly compareSchemas: CompareSchemas;
}

/** An object of each spec, references followed. */
type Both = readonly [was: Node, is: Node];

function resolved({ before, after }: Context, was: unknown, is: unknown): Both {
  return [resolve(before, node(was)), resolve(after, node(is))];
}

function isPastSunset({ deprecated, 'x-sunset': sunset }: Node, today: string): boolean {
  return deprecated === true && typeof sunset === 'string' && sunset <= today;
}

function sunsetOf({ 'x-sunset': sunset }: Node): string {
  return typeof sunset === 'string'
    ? `it was removed before its sunset on ${sunset}`
    : 'it was removed without a sunset';
}

const operationKeywords = new Set([
  ...['tags', 'summary', 'operationId', 'parameters', 'requestBody', 'responses', 'deprecated', 'security', 'servers'],
]);

function compareOperations(endpoint: string, one: Operation, other: Operation, context: Context): void {
  const { report } = context;
  const [before, after] = [node(one.object), node(other.object)];
  if (!before.deprecated && after.deprecated) report('minor', 'operation deprecated', endpoint, 'it is deprecated now');
  compareStability(endpoint, before['x-stability-level'], after['x-stability-level'], report);
  const [was, is] = [before['x-sunset'], after['x-sunset']];
  if (typeof was === 'string' && typeof is === 'string' && is < was)
    report('major', 'sunset brought forward', endpoint, `${was} became ${is}`);
  if (isDifferent(before['x-pagination'], after['x-pagination'])) {
    report(before['x-pagination'] ? 'major' : 'minor', 'paging changed', endpoint, 'x-pagination differs');
  }
  if (isDifferent(one.servers, other.servers) && (before.servers || after.servers))
    report('major', 'servers of the operation changed', endpoint, 'servers differs');
  compareSecurity(endpoint, one, other, report);
  compareParameters(endpoint, one, other, context);
  compareBodies(endpoint, before.requestBody, after.requestBody, context);
  compareResponses(endpoint, node(before.responses), node(after.responses), context);
  reportUnknown(before, after, operationKeywords, endpoint, report);
}

const isDifferent = (was: unknown, is: unknown) => JSON.stringify(was) !== JSON.stringify(is);

/** From the least stable on. */
const levels: readonly unknown[] = ['experimental', 'beta', undefined];

function compareStability(endpoint: string, was: unknown, is: unknown, report: Report): void {
  if (was === is) return;
  const isLess = levels.indexOf(is) < levels.indexOf(was);
  report(isLess ? 'major' : 'minor', `stability ${isLess ? 'lowered' : 'raised'}`, endpoint, `${was} became ${is}`);
}

/** What opens an operation, each alternative as a text. */
function compareSecurity(endpoint: string, before: Operation, after: Operation, report: Report): void {
  const alternatives = ({ security }: Operation) =>
    security.map((all) =>
      Object.entries(all)
        .map(([scheme, scopes]) => [scheme, ...list(scopes)].join(' with '))
        .sort()
        .join(' and '),
    );
  const [was, is] = [alternatives(before), alternatives(after)];
  const open = (all: string[]) => all.length === 0 || all.includes('');
  if (open(was) && !open(is)) return report('major', 'security added', endpoint, `${is.join(' or ')} is required now`);
  const gone = open(is) ? [] : was.filter((one) => !is.includes(one));
  if (gone.length > 0) report('major', 'security scheme removed', endpoint, `${gone.join(', ')} is no longer accepted`);
  else if (was.toSorted().join() !== is.toSorted().join())
    report('minor', 'security relaxed', endpoint, `${was.join(' or ')} became ${is.join(' or ') || 'none'}`);
}

/** How the credentials of a scheme are sent. */
function compareSchemes(context: Context): void {
  const schemes = ({ root }: Spec | Comparison['before']) => node(root.components?.securitySchemes);
  const [was, is] = [schemes(context.before), schemes(context.after)];
  for (const name of Object.keys(was)) {
    if (!(name in is)) continue;
    const [before, after] = resolved(context, was[name], is[name]);
    const sent = ({ type, scheme, in: place, name }: Node) =>
      [type, String(scheme).toLowerCase(), place, name].join(' ');
    if (sent(before) !== sent(after))
      context.report('major', 'security scheme changed', `security scheme ${name}`, 'credentials are sent another way');
  }
}

const parameterKeywords = new Set([
  ...['name', 'in', 'required', 'deprecated', 'schema', 'content', 'style', 'explode', 'allowReserved'],
  'allowEmptyValue',
]);

function compareParameters(endpoint: string, before: Operation, after: Operation, context: Context): void {
  const { report, compareSchemas } = context;
  const byName = ({ parameters, idempotencyKey }: Operation) =>
    new Map(
      [...parameters, idempotencyKey ?? []]
        .flat()
        .map((one) => [`${one.in} ${one.in === 'header' ? one.name.toLowerCase() : one.name}`, node(one)]),
    );
  const [was, is] = [byName(before), byName(after)];
  for (const [name, parameter] of was) {
    const now = is.get(name);
    const where = `${endpoint} ${name}`;
    if (!now) report('major', 'parameter removed', where, 'it was removed');
    else {
      if (!parameter.required && now.required) report('major', 'parameter newly required', where, 'it is required now');
      if (parameter.required && !now.required)
        report('minor', 'parameter no longer required', where, 'it is optional now');
      if (!parameter.deprecated && now.deprecated)
        report('minor', 'parameter deprecated', where, 'it is deprecated now');
      if (isDifferent(serialization(parameter), serialization(now)))
        report('major', 'parameter serialization changed', where, 'it is written another way');
      if (isDifferent(parameter['x-idempotency-key'], now['x-idempotency-key']))
        report('major', 'idempotency key changed', where, 'x-idempotency-key differs');
      compareSchemas(parameter.schema ?? {}, now.schema ?? {}, where, 'request');
      if (parameter.content || now.content)
        compareContents(node(parameter.content), node(now.content), where, 'request', context);
      reportUnknown(parameter, now, parameterKeywords, where, report);
    }
  }
  for (const [name, { required }] of is) {
    if (was.has(name)) continue;
    const rule = required ? 'parameter newly required' : 'parameter added';
    report(required ? 'major' : 'minor', rule, `${endpoint} ${name}`, 'it is new');
  }
}

/** How a value is written, with the defaults of OpenAPI. */
function serialization({ in: place, style, explode, allowReserved, allowEmptyValue }: Node): unknown {
  const how = style ?? (place === 'query' || place === 'cookie' ? 'form' : 'simple');
  return [how, explode ?? how === 'form', allowReserved ?? false, allowEmptyValue ?? false];
}

const bodyKeywords = new Set(['required', 'content']);

function compareBodies(endpoint: string, before: unknown, after: unknown, context: Context): void {
  const { report } = context;
  const [was, is] = resolved(context, before, after);
  const where = `${endpoint} body`;
  if (before && !after) return report('major', 'body removed', where, 'it was removed');
  if (!before && after) {
    const rule = is.required ? 'body newly required' : 'body added';
    return report(is.required ? 'major' : 'minor', rule, where, 'it is new');
  }
  if (!was.required && is.required) report('major', 'body newly required', where, 'it is required now');
  if (was.required && !is.required) report('minor', 'body no longer required', where, 'it is optional now');
  compareContents(node(was.content), node(is.content), where, 'request', context);
  reportUnknown(was, is, bodyKeywords, where, report);
}

const responseKeywords = new Set(['headers', 'content', 'links']);

function compareResponses(endpoint: string, before: Node, after: Node, context: Context): void {
  const { report } = context;
  const statuses = (responses: Node) => Object.keys(responses).filter((status) => !status.startsWith('x-'));
  for (const status of new Set([...statuses(before), ...statuses(after)])) {
    const where = `${endpoint} ${status}`;
    const isSuccess = status.startsWith('2');
    if (!(status in after)) report('major', 'status removed', where, 'it was removed');
    else if (!(status in before))
      report(isSuccess ? 'major' : 'minor', isSuccess ? 'success status added' : 'status added', where, 'it is new');
    else {
      const [was, is] = resolved(context, before[status], after[status]);
      compareHeaders(node(was.headers), node(is.headers), where, context);
      compareContents(node(was.content), node(is.content), where, 'response', context);
      reportUnknown(was, is, responseKeywords, where, report);
    }
  }
}

const headerKeywords = new Set(['required', 'deprecated', 'schema', 'content', 'style', 'explode']);

function compareHeaders(before: Node, after: Node, where: string, context: Context): void {
  const { report, compareSchemas } = context;
  for (const name of Object.keys(before))
    if (!(name in after)) report('major', 'header removed', `${where} ${name}`, 'it was removed');
  for (const name of Object.keys(after)) {
    const here = `${where} ${name}`;
    if (!(name in before)) report('minor', 'header added', here, 'it is new');
    else {
      const [was, is] = resolved(context, before[name], after[name]);
      if (was.required && !is.required) report('major', 'header may be missing', here, 'it may be missing now');
      if (!was.required && is.required) report('minor', 'header always present', here, 'it is always present now');
      if (isDifferent(serialization(was), serialization(is)))
        report('major', 'header serialization changed', here, 'it is written another way');
      compareSchemas(was.schema ?? {}, is.schema ?? {}, here, 'response');
      if (was.content || is.content) compareContents(node(was.content), node(is.content), here, 'response', context);
      reportUnknown(was, is, headerKeywords, here, report);
    }
  }
}

const contentKeywords = new Set(['schema', 'encoding']);

function compareContents(before: Node, after: Node, where: string, direction: Direction, context: Context): void {
  const { report, compareSchemas } = context;
  for (const type of Object.keys(before)) {
    const [was, is] = [node(before[type]), node(after[type])];
    if (!(type in after)) report('major', `${direction} media type removed`, where, `${type} was removed`);
    else {
      if (isDifferent(was.encoding, is.encoding))
        report('major', `${direction} encoding changed`, where, `parts of ${type} are written another way`);
      compareSchemas(was.schema ?? {}, is.schema ?? {}, where, direction);
      reportUnknown(was, is, contentKeywords, where, report);
    }
  }
  for (const type of Object.keys(after))
    if (!(type in before)) report('minor', `${direction} media type added`, where, `${type} is new`);
}

function compareDeployments(before: Spec, after: Spec, report: Report): void {
  const names = ({ root }: Spec) => Object.keys(deploymentsOf(root));
  const [was, is] = [names(before), names(after)];
  for (const name of was)
    if (!is.includes(name)) report('major', 'deployment removed', `deployment ${name}`, 'it was removed');
  for (const name of is)
    if (!was.includes(name)) report('minor', 'deployment added', `deployment ${name}`, 'it is new');
}
