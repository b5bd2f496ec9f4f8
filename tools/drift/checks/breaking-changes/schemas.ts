import { isNode, list, type Node, node } from '../../openapi.ts';

/** A change between two specs, and what it means for the users of the interface. */
export interface Change {
  /** `major` breaks correct users, `minor` adds something. */
  level: 'major' | 'minor';
  /** The rule that says so. */
  rule: string;
  where: string;
  detail: string;
}

export type Report = (level: Change['level'], rule: string, where: string, detail: string) => void;

/** Data goes to the service, where it is a break to accept less, or comes from it, where it is a break to send more. */
export type Direction = 'request' | 'response';

/** Reports the changes between two schemas of data that goes in one direction. */
export function compareSchemas(before: Node, after: Node, where: string, direction: Direction, report: Report): void {
  const narrowed = (rule: string, detail: string) =>
    report(direction === 'request' ? 'major' : 'minor', `${direction} ${rule} narrowed`, where, detail);
  const widened = (rule: string, detail: string) =>
    report(direction === 'response' ? 'major' : 'minor', `${direction} ${rule} widened`, where, detail);

  if (before.type !== after.type) return compareTypes(before, after, where, direction, report);
  compareKeyword('format', before, after, narrowed, widened);
  compareKeyword('pattern', before, after, narrowed, widened);
  for (const [lower, upper] of [
    ['minimum', 'maximum'],
    ['exclusiveMinimum', 'exclusiveMaximum'],
    ['minLength', 'maxLength'],
    ['minItems', 'maxItems'],
  ] as const) {
    compareBound(lower, before, after, Number.NEGATIVE_INFINITY, (was, is) => is > was, narrowed, widened);
    compareBound(upper, before, after, Number.POSITIVE_INFINITY, (was, is) => is < was, narrowed, widened);
  }
  compareEnums(before, after, narrowed, widened);
  if (JSON.stringify(before.default) !== JSON.stringify(after.default) && direction === 'request') {
    report('major', 'default changed', where, `default ${show(before.default)} became ${show(after.default)}`);
  }
  compareProperties(before, after, where, direction, report);
  if (isNode(before.items) || isNode(after.items)) {
    compareSchemas(node(before.items), node(after.items), `${where}[]`, direction, report);
  }
}

function compareTypes(before: Node, after: Node, where: string, direction: Direction, report: Report): void {
  const detail = `type ${show(before.type)} became ${show(after.type)}`;
  // Every integer is a number, so a request may widen to number, and a response may narrow to integer.
  const [narrow, wide] = direction === 'request' ? [before.type, after.type] : [after.type, before.type];
  const isCompatible = narrow === 'integer' && wide === 'number';
  report(isCompatible ? 'minor' : 'major', `${direction} type changed`, where, detail);
}

type ReportRule = (rule: string, detail: string) => void;

function compareKeyword(
  rule: 'format' | 'pattern',
  before: Node,
  after: Node,
  narrowed: ReportRule,
  widened: ReportRule,
): void {
  const [was, is] = [before[rule], after[rule]];
  if (was === is) return;
  const detail = `${rule} ${show(was)} became ${show(is)}`;
  if (is !== undefined) narrowed(rule, detail);
  if (was !== undefined) widened(rule, detail);
}

function compareBound(
  name: string,
  before: Node,
  after: Node,
  none: number,
  isTighter: (was: number, is: number) => boolean,
  narrowed: ReportRule,
  widened: ReportRule,
): void {
  const [was, is] = [Number(before[name] ?? none), Number(after[name] ?? none)];
  if (was === is) return;
  const detail = `${name} ${show(before[name])} became ${show(after[name])}`;
  if (isTighter(was, is)) narrowed('bound', detail);
  else widened('bound', detail);
}

function compareEnums(before: Node, after: Node, narrowed: ReportRule, widened: ReportRule): void {
  if (!before.enum && !after.enum) return;
  if (!before.enum) return narrowed('enum', `any value became one of ${list(after.enum).join(', ')}`);
  if (!after.enum) return widened('enum', `one of ${list(before.enum).join(', ')} became any value`);
  const [was, is] = [list(before.enum), list(after.enum)];
  const gone = was.filter((value) => !is.includes(value));
  const added = is.filter((value) => !was.includes(value));
  if (gone.length > 0) narrowed('enum', `${gone.join(', ')} was removed`);
  if (added.length > 0) widened('enum', `${added.join(', ')} was added`);
}

function compareProperties(before: Node, after: Node, where: string, direction: Direction, report: Report): void {
  const [was, is] = [node(before.properties), node(after.properties)];
  const [needed, needs] = [list(before.required), list(after.required)];
  for (const name of new Set([...Object.keys(was), ...Object.keys(is)])) {
    const here = `${where}.${name}`;
    if (!(name in is)) report('major', `${direction} property removed`, here, 'it was removed');
    else if (!(name in was)) {
      const required = direction === 'request' && needs.includes(name);
      report(
        required ? 'major' : 'minor',
        required ? 'request property newly required' : `${direction} property added`,
        here,
        'it is new',
      );
    } else {
      compareRequired(needed.includes(name), needs.includes(name), here, direction, report);
      compareSchemas(node(was[name]), node(is[name]), here, direction, report);
    }
  }
  if (before.additionalProperties !== false && after.additionalProperties === false && direction === 'request') {
    report('major', 'request properties closed', where, 'unknown properties are rejected now');
  }
}

function compareRequired(was: boolean, is: boolean, where: string, direction: Direction, report: Report): void {
  if (was === is) return;
  if (direction === 'request') {
    report(
      is ? 'major' : 'minor',
      is ? 'request property newly required' : 'request property no longer required',
      where,
      is ? 'it is required now' : 'it is optional now',
    );
  } else {
    report(
      is ? 'minor' : 'major',
      is ? 'response property always present' : 'response property may be missing',
      where,
      is ? 'it is always present now' : 'it may be missing now',
    );
  }
}

function show(value: unknown): string {
  return value === undefined ? 'none' : JSON.stringify(value);
}
