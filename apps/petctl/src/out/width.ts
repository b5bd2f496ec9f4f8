// It takes as long to make as a request to a near service: only where there is more than plain letters.
let segmenter: Intl.Segmenter | undefined;

function segmentsOf(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter();
  return segmenter.segment(text);
}

/** Characters that terminals show two columns wide: East Asian wide and full-width ones. */
const wide =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{1b000}-\u{1b2fb}\u{20000}-\u{3fffd}]/u;
const emoji = /^\p{Emoji_Presentation}|\ufe0f|^\p{Regional_Indicator}{2}/u;
const invisible = /^[\p{Mn}\p{Me}\p{Cf}]+$/u;

const plain = /^[\x20-\x7e]*$/;

/** How many columns a text takes on a terminal. */
export function widthOf(text: string): number {
  if (plain.test(text)) return text.length;
  let width = 0;
  for (const { segment } of segmentsOf(text)) width += columnsOf(segment);
  return width;
}

/** The text in at most so many columns; an ellipsis stands for what was cut off. */
export function cut(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text;
  if (plain.test(text)) return `${text.slice(0, columns - 1)}…`;
  let [kept, width] = ['', 0];
  for (const { segment } of segmentsOf(text)) {
    width += columnsOf(segment);
    if (width > columns - 1) break;
    kept += segment;
  }
  return `${kept}…`;
}

/** What one character, as people see it, takes. */
function columnsOf(segment: string): number {
  if (invisible.test(segment)) return 0;
  return wide.test(segment) || emoji.test(segment) ? 2 : 1;
}
