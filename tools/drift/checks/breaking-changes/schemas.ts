import { isNode, list, type Node, node } from '../../openapi.ts';
import type { Direction, Report } from './change.ts';

/** Compares two schemas for data that goes in one direction. */
export function compareSchemas(before: Node, after: Node, where: string, direction: Direction, report: Report): void {
  const narrowed = (rule: string, what: string) =>
    report(direction === 'request' ? 'major' : 'minor', `${direction} ${rule} narrowed`, where, what);
  const widened = (rule: string, what: string) =>
    report(direction === 'response' ? 'major' : 'minor', `${direction} ${rule} widened`, where, what);

  if (before.type !== after.type) return compareTypes(before, after, where, direction, report);
  compareText('format', before, after, narrowed, widened);
  compareText('pattern', before, after, narrowed, widened);
  for (const [lower, upper] of [
    ['minimum', 'maximum'],
    ['exclusiveMinimum', 'exclusiveMaximum'],
    ['minLength', 'maxLength'],
    ['minItems', 'maxItems'],
  ] as const) {
    compareBound(lower, before, after, Number.NEGATIVE_INFINITY, (was, is) => is > was, narrowed, widened);
    compareBound(upper, before, after, Number.POSITIVE_INFINITY, (was, is) => is < was, narrowed, widened);
  }
  compareChoices(before, after, narrowed, widened);
  if (JSON.stringify(before.default) !== JSON.stringify(after.default) && direction === 'request') {
    report('major', 'default changed', where, `default ${show(before.default)} became ${show(after.default)}`);
  }
  compareMembers(before, after, where, direction, report);
  if (isNode(before.items) || isNode(after.items)) {
    compareSchemas(node(before.items), node(after.items), `${where}[]`, direction, report);
  }
}

function compareTypes(before: Node, after: Node, where: string, direction: Direction, report: Report): void {
  const what = `type ${show(before.type)} became ${show(after.type)}`;
  // Every integer is a number, so one way round nobody is surprised.
  const [narrow, wide] = direction === 'request' ? [before.type, after.type] : [after.type, before.type];
  const harmless = narrow === 'integer' && wide === 'number';
  report(harmless ? 'minor' : 'major', `${direction} type changed`, where, what);
}

type Tell = (rule: string, what: string) => void;

function compareText(rule: 'format' | 'pattern', before: Node, after: Node, narrowed: Tell, widened: Tell): void {
  const [was, is] = [before[rule], after[rule]];
  if (was === is) return;
  const what = `${rule} ${show(was)} became ${show(is)}`;
  if (is !== undefined) narrowed(rule, what);
  if (was !== undefined) widened(rule, what);
}

function compareBound(
  name: string,
  before: Node,
  after: Node,
  none: number,
  isTighter: (was: number, is: number) => boolean,
  narrowed: Tell,
  widened: Tell,
): void {
  const [was, is] = [Number(before[name] ?? none), Number(after[name] ?? none)];
  if (was === is) return;
  const what = `${name} ${show(before[name])} became ${show(after[name])}`;
  if (isTighter(was, is)) narrowed('bound', what);
  else widened('bound', what);
}

function compareChoices(before: Node, after: Node, narrowed: Tell, widened: Tell): void {
  if (!before.enum && !after.enum) return;
  if (!before.enum) return narrowed('choices', `any value became one of ${list(after.enum).join(', ')}`);
  if (!after.enum) return widened('choices', `one of ${list(before.enum).join(', ')} became any value`);
  const [was, is] = [list(before.enum), list(after.enum)];
  const gone = was.filter((value) => !is.includes(value));
  const added = is.filter((value) => !was.includes(value));
  if (gone.length > 0) narrowed('choices', `${gone.join(', ')} went away`);
  if (added.length > 0) widened('choices', `${added.join(', ')} came in`);
}

function compareMembers(before: Node, after: Node, where: string, direction: Direction, report: Report): void {
  const [was, is] = [node(before.properties), node(after.properties)];
  const [needed, needs] = [list(before.required), list(after.required)];
  for (const name of new Set([...Object.keys(was), ...Object.keys(is)])) {
    const here = `${where}.${name}`;
    if (!(name in is)) report('major', `${direction} member removed`, here, 'it went away');
    else if (!(name in was)) {
      const demanded = direction === 'request' && needs.includes(name);
      report(
        demanded ? 'major' : 'minor',
        demanded ? 'request member newly required' : `${direction} member added`,
        here,
        'it is new',
      );
    } else {
      compareRequired(needed.includes(name), needs.includes(name), here, direction, report);
      compareSchemas(node(was[name]), node(is[name]), here, direction, report);
    }
  }
  if (before.additionalProperties !== false && after.additionalProperties === false && direction === 'request') {
    report('major', 'request members closed', where, 'unknown members are refused now');
  }
}

function compareRequired(was: boolean, is: boolean, where: string, direction: Direction, report: Report): void {
  if (was === is) return;
  if (direction === 'request') {
    report(
      is ? 'major' : 'minor',
      is ? 'request member newly required' : 'request member no longer required',
      where,
      is ? 'it has to be given now' : 'it may be left out now',
    );
  } else {
    report(
      is ? 'minor' : 'major',
      is ? 'response member always there' : 'response member may be missing',
      where,
      is ? 'it is always there now' : 'it may be missing now',
    );
  }
}

function show(value: unknown): string {
  return value === undefined ? 'none' : JSON.stringify(value);
}
