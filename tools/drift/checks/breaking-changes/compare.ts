import { list, type Node, node, type Operation, operationsOf } from '../../openapi.ts';
import type { Change, Report } from './change.ts';
import { compareSchemas } from './schemas.ts';

/** What became different between two specs, as those who use the interface see it. `today` decides whether a sunset has come. */
export function compareSpecs(before: Node, after: Node, today: string): Change[] {
  const changes: Change[] = [];
  const report: Report = (level, rule, where, what) => void changes.push({ level, rule, where, what });
  const [was, is] = [operationsOf(before), operationsOf(after)];
  for (const [place, operation] of was) {
    const now = is.get(place);
    if (now) compareOperations(place, operation, now, report);
    else if (isOver(operation, today))
      report('minor', 'operation removed after its sunset', place, 'it went away as announced');
    else report('major', 'operation removed', place, sunsetOf(operation));
  }
  for (const place of is.keys()) if (!was.has(place)) report('minor', 'operation added', place, 'it is new');
  compareDeployments(before, after, report);
  return changes;
}

function isOver({ deprecated, 'x-sunset': sunset }: Operation, today: string): boolean {
  return deprecated === true && typeof sunset === 'string' && sunset <= today;
}

function sunsetOf({ 'x-sunset': sunset }: Operation): string {
  return typeof sunset === 'string' ? `it went away before its sunset on ${sunset}` : 'it went away without a sunset';
}

function compareOperations(place: string, before: Operation, after: Operation, report: Report): void {
  if (before.operationId !== after.operationId)
    report('major', 'operation renamed', place, `${before.operationId} became ${after.operationId}`);
  if (list(before.tags)[0] !== list(after.tags)[0])
    report('major', 'operation moved to another tag', place, `${list(before.tags)[0]} became ${list(after.tags)[0]}`);
  if (!before.deprecated && after.deprecated) report('minor', 'operation deprecated', place, 'it is deprecated now');
  const [was, is] = [before['x-sunset'], after['x-sunset']];
  if (typeof was === 'string' && typeof is === 'string' && is < was)
    report('major', 'sunset brought forward', place, `${was} became ${is}`);
  if (JSON.stringify(before['x-pagination']) !== JSON.stringify(after['x-pagination'])) {
    report(before['x-pagination'] ? 'major' : 'minor', 'paging changed', place, 'x-pagination is another one');
  }
  compareSecurity(place, before, after, report);
  compareParameters(place, before, after, report);
  compareBodies(place, before, after, report);
  compareResponses(place, node(before.responses), node(after.responses), report);
}

function compareSecurity(place: string, before: Operation, after: Operation, report: Report): void {
  const schemes = (operation: Operation) =>
    list(operation.security).map((one) => Object.keys(node(one)).sort().join(' and '));
  const [was, is] = [schemes(before), schemes(after)];
  const open = (all: string[]) => all.length === 0 || all.includes('');
  if (open(was) && !open(is)) return report('major', 'security added', place, `${is.join(' or ')} is needed now`);
  const gone = open(is) ? [] : was.filter((one) => !is.includes(one));
  if (gone.length > 0) report('major', 'security scheme removed', place, `${gone.join(', ')} no longer opens it`);
  else if (was.join() !== is.join())
    report('minor', 'security relaxed', place, `${was.join(' or ')} became ${is.join(' or ') || 'none'}`);
}

function compareParameters(place: string, before: Operation, after: Operation, report: Report): void {
  const byName = (operation: Operation) =>
    new Map(list(operation.parameters).map((one) => [`${node(one).in} ${node(one).name}`, node(one)]));
  const [was, is] = [byName(before), byName(after)];
  for (const [name, parameter] of was) {
    const now = is.get(name);
    const where = `${place} ${name}`;
    if (!now) report('major', 'parameter removed', where, 'it went away');
    else {
      if (!parameter.required && now.required)
        report('major', 'parameter newly required', where, 'it has to be given now');
      if (parameter.required && !now.required)
        report('minor', 'parameter no longer required', where, 'it may be left out now');
      compareSchemas(node(parameter.schema), node(now.schema), where, 'request', report);
    }
  }
  for (const [name, { required }] of is) {
    if (was.has(name)) continue;
    report(
      required ? 'major' : 'minor',
      required ? 'parameter newly required' : 'parameter added',
      `${place} ${name}`,
      'it is new',
    );
  }
}

function compareBodies(place: string, before: Operation, after: Operation, report: Report): void {
  const [was, is] = [node(before.requestBody), node(after.requestBody)];
  const where = `${place} body`;
  if (before.requestBody && !after.requestBody) return report('major', 'body removed', where, 'it went away');
  if (!before.requestBody && after.requestBody) {
    return report(
      is.required ? 'major' : 'minor',
      is.required ? 'body newly required' : 'body added',
      where,
      'it is new',
    );
  }
  if (!was.required && is.required) report('major', 'body newly required', where, 'it has to be given now');
  if (was.required && !is.required) report('minor', 'body no longer required', where, 'it may be left out now');
  compareContents(node(was.content), node(is.content), where, 'request', report);
}

function compareResponses(place: string, before: Node, after: Node, report: Report): void {
  for (const status of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const where = `${place} ${status}`;
    const [was, is] = [node(before[status]), node(after[status])];
    if (!(status in after)) report('major', 'status removed', where, 'it went away');
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
        if (!(name in has)) report('major', 'header removed', `${where} ${name}`, 'it went away');
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

function compareContents(
  before: Node,
  after: Node,
  where: string,
  direction: 'request' | 'response',
  report: Report,
): void {
  for (const type of Object.keys(before)) {
    if (!(type in after)) report('major', `${direction} media type removed`, where, `${type} went away`);
    else compareSchemas(node(node(before[type]).schema), node(node(after[type]).schema), where, direction, report);
  }
  for (const type of Object.keys(after))
    if (!(type in before)) report('minor', `${direction} media type added`, where, `${type} is new`);
}

function compareDeployments(before: Node, after: Node, report: Report): void {
  const names = (spec: Node) => list(spec.servers).map((server) => String(node(server)['x-deployment']));
  const [was, is] = [names(before), names(after)];
  for (const name of was)
    if (!is.includes(name)) report('major', 'deployment removed', `deployment ${name}`, 'it went away');
  for (const name of is)
    if (!was.includes(name)) report('minor', 'deployment added', `deployment ${name}`, 'it is new');
}
