import { list, type Node, node, type Operation, operationsOf } from '../../openapi.ts';
import { type Change, compareSchemas, type Direction, type Report } from './schemas.ts';

/** The changes between two specs for the users of the interface. `today` decides whether a sunset has come. */
export function compareSpecs(before: Node, after: Node, today: string): Change[] {
  const changes: Change[] = [];
  const report: Report = (level, rule, where, detail) => void changes.push({ level, rule, where, detail });
  const [was, is] = [operationsOf(before), operationsOf(after)];
  for (const [endpoint, operation] of was) {
    const now = is.get(endpoint);
    if (now) compareOperations(endpoint, operation, now, report);
    else if (isPastSunset(operation, today))
      report('minor', 'operation removed after its sunset', endpoint, 'it was removed as announced');
    else report('major', 'operation removed', endpoint, sunsetOf(operation));
  }
  for (const endpoint of is.keys()) if (!was.has(endpoint)) report('minor', 'operation added', endpoint, 'it is new');
  compareDeployments(before, after, report);
  return changes;
}

function isPastSunset({ deprecated, 'x-sunset': sunset }: Operation, today: string): boolean {
  return deprecated === true && typeof sunset === 'string' && sunset <= today;
}

function sunsetOf({ 'x-sunset': sunset }: Operation): string {
  return typeof sunset === 'string'
    ? `it was removed before its sunset on ${sunset}`
    : 'it was removed without a sunset';
}

function compareOperations(endpoint: string, before: Operation, after: Operation, report: Report): void {
  if (before.operationId !== after.operationId)
    report('major', 'operation renamed', endpoint, `${before.operationId} became ${after.operationId}`);
  if (list(before.tags)[0] !== list(after.tags)[0])
    report(
      'major',
      'operation moved to another tag',
      endpoint,
      `${list(before.tags)[0]} became ${list(after.tags)[0]}`,
    );
  if (before['x-command'] !== after['x-command'])
    report('major', 'command renamed', endpoint, `${before['x-command']} became ${after['x-command']}`);
  if (!before.deprecated && after.deprecated) report('minor', 'operation deprecated', endpoint, 'it is deprecated now');
  const [was, is] = [before['x-sunset'], after['x-sunset']];
  if (typeof was === 'string' && typeof is === 'string' && is < was)
    report('major', 'sunset brought forward', endpoint, `${was} became ${is}`);
  if (JSON.stringify(before['x-pagination']) !== JSON.stringify(after['x-pagination'])) {
    report(before['x-pagination'] ? 'major' : 'minor', 'paging changed', endpoint, 'x-pagination differs');
  }
  compareSecurity(endpoint, before, after, report);
  compareParameters(endpoint, before, after, report);
  compareBodies(endpoint, before, after, report);
  compareResponses(endpoint, node(before.responses), node(after.responses), report);
}

function compareSecurity(endpoint: string, before: Operation, after: Operation, report: Report): void {
  const schemes = (operation: Operation) =>
    list(operation.security).map((one) => Object.keys(node(one)).sort().join(' and '));
  const [was, is] = [schemes(before), schemes(after)];
  const open = (all: string[]) => all.length === 0 || all.includes('');
  if (open(was) && !open(is)) return report('major', 'security added', endpoint, `${is.join(' or ')} is required now`);
  const gone = open(is) ? [] : was.filter((one) => !is.includes(one));
  if (gone.length > 0) report('major', 'security scheme removed', endpoint, `${gone.join(', ')} is no longer accepted`);
  else if (was.join() !== is.join())
    report('minor', 'security relaxed', endpoint, `${was.join(' or ')} became ${is.join(' or ') || 'none'}`);
}

function compareParameters(endpoint: string, before: Operation, after: Operation, report: Report): void {
  const byName = (operation: Operation) =>
    new Map(list(operation.parameters).map((one) => [`${node(one).in} ${node(one).name}`, node(one)]));
  const [was, is] = [byName(before), byName(after)];
  for (const [name, parameter] of was) {
    const now = is.get(name);
    const where = `${endpoint} ${name}`;
    if (!now) report('major', 'parameter removed', where, 'it was removed');
    else {
      if (!parameter.required && now.required) report('major', 'parameter newly required', where, 'it is required now');
      if (parameter.required && !now.required)
        report('minor', 'parameter no longer required', where, 'it is optional now');
      compareSchemas(node(parameter.schema), node(now.schema), where, 'request', report);
    }
  }
  for (const [name, { required }] of is) {
    if (was.has(name)) continue;
    report(
      required ? 'major' : 'minor',
      required ? 'parameter newly required' : 'parameter added',
      `${endpoint} ${name}`,
      'it is new',
    );
  }
}

function compareBodies(endpoint: string, before: Operation, after: Operation, report: Report): void {
  const [was, is] = [node(before.requestBody), node(after.requestBody)];
  const where = `${endpoint} body`;
  if (before.requestBody && !after.requestBody) return report('major', 'body removed', where, 'it was removed');
  if (!before.requestBody && after.requestBody) {
    return report(
      is.required ? 'major' : 'minor',
      is.required ? 'body newly required' : 'body added',
      where,
      'it is new',
    );
  }
  if (!was.required && is.required) report('major', 'body newly required', where, 'it is required now');
  if (was.required && !is.required) report('minor', 'body no longer required', where, 'it is optional now');
  compareContents(node(was.content), node(is.content), where, 'request', report);
}

function compareResponses(endpoint: string, before: Node, after: Node, report: Report): void {
  for (const status of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const where = `${endpoint} ${status}`;
    const [was, is] = [node(before[status]), node(after[status])];
    if (!(status in after)) report('major', 'status removed', where, 'it was removed');
    else if (!(status in before))
      report(
        status.startsWith('2') ? 'major' : 'minor',
        status.startsWith('2') ? 'success status added' : 'status added',
        where,
        'it is new',
      );
    else {
      const [had, has] = [node(was.headers), node(is.headers)];
      for (const name of Object.keys(had))
        if (!(name in has)) report('major', 'header removed', `${where} ${name}`, 'it was removed');
      for (const name of Object.keys(has)) {
        if (!(name in had)) report('minor', 'header added', `${where} ${name}`, 'it is new');
        else
          compareSchemas(
            node(node(had[name]).schema),
            node(node(has[name]).schema),
            `${where} ${name}`,
            'response',
            report,
          );
      }
      compareContents(node(was.content), node(is.content), where, 'response', report);
    }
  }
}

function compareContents(before: Node, after: Node, where: string, direction: Direction, report: Report): void {
  for (const type of Object.keys(before)) {
    if (!(type in after)) report('major', `${direction} media type removed`, where, `${type} was removed`);
    else compareSchemas(node(node(before[type]).schema), node(node(after[type]).schema), where, direction, report);
  }
  for (const type of Object.keys(after))
    if (!(type in before)) report('minor', `${direction} media type added`, where, `${type} is new`);
}

function compareDeployments(before: Node, after: Node, report: Report): void {
  const names = (spec: Node) => list(spec.servers).map((server) => String(node(server)['x-deployment']));
  const [was, is] = [names(before), names(after)];
  for (const name of was)
    if (!is.includes(name)) report('major', 'deployment removed', `deployment ${name}`, 'it was removed');
  for (const name of is)
    if (!was.includes(name)) report('minor', 'deployment added', `deployment ${name}`, 'it is new');
}
