// Reads a page: its lines, inline code, commands, links and headings.
import { textOf } from '../repository.ts';

/** A part of a page, and its line. */
export interface Part {
  readonly text: string;
  readonly line: number;
}

export interface Page {
  readonly file: string;
  readonly text: string;
  /** All lines. */
  readonly lines: readonly Part[];
  /** The inline code. */
  readonly spans: readonly Part[];
  /** What a shell would run: the lines of its blocks, without comments and output. */
  readonly commands: readonly Part[];
  /** The targets of links. */
  readonly links: readonly Part[];
}

export function readPage(file: string): Page {
  const text = textOf(file);
  const lines: Part[] = [];
  const spans: Part[] = [];
  const commands: Part[] = [];
  const links: Part[] = [];
  for (const [i, { text: content, language }] of linesIn(text).entries()) {
    const partOf = (each: string): Part => ({ text: each, line: i + 1 });
    lines.push(partOf(content));
    if (language === undefined) {
      spans.push(...spansIn(content).map(partOf));
      links.push(...linksIn(content).map(partOf));
    } else {
      const command = commandIn(content, language);
      if (command !== '') commands.push(partOf(command));
    }
  }
  return { file, text, lines, spans, commands, links };
}

/** The lines of a page. A line in a block has the language of the block. */
function linesIn(text: string): { text: string; language: string | undefined }[] {
  let open: string | undefined;
  return text.split('\n').map((line) => {
    const language = open;
    const isFence = line.trim().startsWith('```');
    if (isFence) open = open === undefined ? line.trim().slice(3) : undefined;
    return { text: line, language: isFence ? 'fence' : language };
  });
}

/** The anchors of the headings, as GitHub makes them: `## Two commands` has `two-commands`. */
export function anchorsIn(text: string): string[] {
  const headings = text.split('\n').filter((line) => line.startsWith('#'));
  return headings.map((heading) => {
    const words = heading.replaceAll('#', '').trim().toLowerCase();
    return words.replaceAll(/[^\p{L}\p{N}\s_-]/gu, '').replaceAll(' ', '-');
  });
}

/** The inline code of a line: every second part between backticks. */
function spansIn(line: string): string[] {
  return line.split('`').filter((_, i) => i % 2 === 1);
}

/** `docs/a.md#b` of `[text](docs/a.md#b)`. */
function linksIn(line: string): string[] {
  const [, ...parts] = line.split('](');
  return parts.map((part) => part.slice(0, part.indexOf(')')));
}

/**
 * The command in a line of a block; empty without one. In a `console` block, a command follows a
 * dollar.
 */
function commandIn(line: string, language: string): string {
  const prompt = language === 'console' ? '$ ' : '';
  if (!['sh', 'console'].includes(language) || !line.startsWith(prompt)) return '';
  const command = line.slice(prompt.length);
  const [code = ''] = ` ${command}`.split(' #');
  return code.trim();
}
