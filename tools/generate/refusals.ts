// Finds what the generator does not support in a document: all of it in one run, each with its
// place and what to write instead.
import {
  createConfig,
  getLineColLocation,
  lintFromString,
  type Oas3Rule,
  type RawUniversalConfig,
  type UserContext,
  YamlParseError,
} from '@redocly/openapi-core';
import { isRecord, type Node, recordOf } from './document.ts';
import { checkDocument } from './document-rules.ts';
import { type Follow, objectRules, type Refuse } from './object-rules.ts';
import { allowedKeys, allowedValues, alternatives, supportedProperties } from './supported.ts';

/** Something wrong in a document. */
export interface Problem {
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

interface LinterProblem extends Problem {
  readonly ruleId: string;
  /** What may have been meant. */
  readonly suggest: readonly string[];
}

/** The linter's own rules that apply too, and what to do about each. */
const advice: Readonly<Record<string, string>> = {
  struct: 'correct it',
  'no-unresolved-refs': 'correct the reference',
  'no-enum-type-mismatch': 'write values of that type',
  'no-identical-paths': 'use the same names',
  'no-required-schema-properties-undefined': 'declare it in properties',
  'no-undefined-server-variable': 'name it in both, or in neither',
  'operation-operationId': 'write a name such as listPets',
  'operation-operationId-unique': 'choose another',
  'operation-parameters-unique': 'remove one of them',
  'path-parameters-defined': 'declare the parameter, or correct the path',
  'path-not-include-query': 'declare query parameters',
  'security-defined': 'define it in components.securitySchemes',
};

/** All refusals of a document, in the order of their places. */
export async function refusalsOf(text: string, file: string): Promise<Problem[]> {
  const rules: Record<string, 'error'> = {
    'petstore/object': 'error',
    'petstore/document': 'error',
  };
  for (const rule of Object.keys(advice)) rules[rule] = 'error';
  const problems = await problemsOf(text, file, {
    plugins: [{ id: 'petstore', rules: { oas3: { object: objectRule, document: documentRule } } }],
    rules,
  });
  const ours = problems.filter(({ ruleId }) => ruleId.startsWith('petstore/'));
  const others = problems
    .filter(isOfLinter)
    // A rule of ours that refuses the same place says better what to write.
    .filter((problem) => !ours.some((our) => isSamePlace(our, problem)))
    .map((problem) => ({ ...problem, message: withAdvice(problem) }));
  return [...ours, ...others].sort((a, b) => a.line - b.line || a.column - b.column);
}

/** What the linter finds in a document. */
export async function problemsOf(
  source: string,
  absoluteRef: string,
  rules: RawUniversalConfig,
): Promise<LinterProblem[]> {
  const config = await createConfig(rules);
  try {
    const problems = await lintFromString({ source, absoluteRef, config });
    return problems.map(({ ruleId, message, suggest, location: [place] }) => {
      const { line, col } = place ? getLineColLocation(place).start : { line: 1, col: 1 };
      return { line, column: col, ruleId, message, suggest };
    });
  } catch (error) {
    return [unreadable(error)];
  }
}

/** A document that the linter cannot parse, or in which a reference leads to itself. */
function unreadable(error: unknown): LinterProblem {
  const problem = { ruleId: 'petstore/document', suggest: [] };
  if (error instanceof YamlParseError) {
    // Its own message ends with the path of the file and the place.
    const { reason } = recordOf(error.originalError);
    const message = `${reason}; correct the YAML here or just above.`;
    return { ...problem, line: error.line, column: error.col, message };
  }
  const reason = error instanceof Error ? error.message : String(error);
  return { ...problem, line: 1, column: 1, message: `${reason}; correct the document.` };
}

/**
 * Whether a problem is one of the linter's own rules. It does not count that another file cannot be
 * read, because `objectRule` refuses every reference to another file.
 */
function isOfLinter({ ruleId, message }: LinterProblem): boolean {
  return ruleId in advice && !message.startsWith("Can't resolve $ref: ");
}

function isSamePlace(a: Problem, b: Problem): boolean {
  return a.line === b.line && a.column === b.column;
}

function withAdvice({ ruleId, message, suggest: [meant] }: LinterProblem): string {
  const problem = message.endsWith('.') ? message.slice(0, -1) : message;
  const fix = meant === undefined ? `${advice[ruleId]}.` : `did you mean ${meant}?`;
  return `${problem}; ${fix}`;
}

/** Refuses what is wrong with an object or a reference alone. */
const objectRule: Oas3Rule = () => ({
  any(value, context) {
    const type = context.type.name;
    if (type === 'SpecExtension' || !isRecord(value)) return;
    const refuse = refuserAt(context.location, context);
    refuseProperties(type, value, refuse);
    refuseKeys(type, value, refuse);
    refuseValues(type, value, refuse);
    const follow: Follow = (target) => followedIn(context, target);
    for (const check of objectRules[type] ?? []) check(value, refuse, follow);
  },
  ref(reference, context) {
    const refuse = refuserAt(context.location, context);
    if (!/^#\/components\/\w+\/[\w.-]+$/.test(reference.$ref)) {
      const problem = `the reference ${reference.$ref}`;
      refuse(problem, 'refer to a component of this document', '$ref');
    }
    const allowed = context.type.name === 'Schema' ? ['$ref', 'description'] : ['$ref'];
    for (const key of Object.keys(reference))
      if (!allowed.includes(key)) refuse(`${key} beside $ref`, 'move it to the target', key);
  },
});

/** Refuses what is wrong only together with another part of the document. */
const documentRule: Oas3Rule = () => ({
  Root: {
    leave(root, context) {
      const refuseAt = (path: readonly string[]) => {
        let location = context.location;
        for (const name of path) location = location.child(name);
        return refuserAt(location, context);
      };
      checkDocument(recordOf(root), refuseAt);
    },
  },
});

function refuseProperties(type: string, object: Node, refuse: Refuse): void {
  const supported = supportedProperties[type];
  if (!supported) return;
  for (const key of Object.keys(object)) {
    if (supported.includes(key)) continue;
    const usual = key.startsWith('x-') ? 'remove it, or correct its name' : 'remove it';
    refuse(`${key} in ${type}`, alternatives[key] ?? usual, key);
  }
}

function refuseKeys(type: string, object: Node, refuse: Refuse): void {
  const allowed = allowedKeys[type];
  if (!allowed) return;
  for (const key of Object.keys(object))
    if (!allowed.isAllowed(key)) refuse(`${key} in ${type}`, allowed.fix, key);
}

function refuseValues(type: string, object: Node, refuse: Refuse): void {
  for (const [key, value] of Object.entries(object)) {
    const allowed = allowedValues[`${type}.${key}`];
    if (allowed && !allowed.isAllowed(String(value))) refuse(`${key}: ${value}`, allowed.fix, key);
  }
}

/** Refuses at a location, or at one of its properties. */
function refuserAt(location: UserContext['location'], { report }: UserContext): Refuse {
  return (problem, fix, key) => {
    const place = key === undefined ? location : location.child(key);
    report({ message: `${problem} is not supported; ${fix}.`, location: place.key() });
  };
}

function followedIn(context: UserContext, value: unknown): Node {
  const { $ref } = recordOf(value);
  return recordOf(typeof $ref === 'string' ? context.resolve({ $ref }).node : value);
}
