// While the model writes, only the visible part is parsed. A half written function changes the
// meaning of everything behind it, to the end of the file, at every token: 6 ms a frame in a file of
// 3,000 lines. The rest is parsed when it becomes visible, or at the next change that is not the
// model's.
//
// A pane that follows soon reaches the model's place: as long as the earlier parse reaches there, it
// is kept. Parsing up to there again took 20 ms in one frame.

import { Language, LanguageSupport, ParseContext } from '@codemirror/language'
import { Parser, Tree, type Input, type PartialParse, type TreeFragment } from '@lezer/common'
import { followedCaret, marks, modelCaret } from './marks'

const margin = 100 // UTF-16 units after what the editor draws, which is more than is visible
const near = 4000 // UTF-16 units that may be parsed to keep the rest of the tree

/** The same language, with a parser that skips invisible text while the model writes. */
export function inView({ language, support }: LanguageSupport): LanguageSupport {
  return new LanguageSupport(new Language(language.data, new InView(language.parser), [], language.name), support)
}

class InView extends Parser {
  constructor(private readonly whole: Parser) {
    super()
  }

  override createParse(input: Input, fragments: readonly TreeFragment[], ranges: readonly { from: number; to: number }[]): PartialParse {
    const parse = this.whole.startParse(input, fragments, ranges)
    const context = ParseContext.get()
    if (context === null || modelCaret(context.state.field(marks, false)) === null) return parse
    const end = endOf(context, fragments)
    return end >= input.length ? parse : new ParseOfView(parse, context, end, input.length)
  }
}

function endOf(context: ParseContext, fragments: readonly TreeFragment[]): number {
  const end = context.viewport.to + margin
  const caret = followedCaret(context.state.field(marks, false))
  if (caret === null || caret < end) return end
  const known = fragments.some((f) => f.from <= end && f.to >= caret - near)
  return known ? caret + margin : end
}

class ParseOfView implements PartialParse {
  private asked: number | null = null // where the editor asked the parse to stop

  constructor(
    private readonly parse: PartialParse,
    private readonly context: ParseContext,
    private readonly end: number,
    private readonly length: number,
  ) {
    parse.stopAt(end)
  }

  get parsedPos(): number {
    return this.parse.parsedPos
  }

  get stoppedAt(): number | null {
    return this.asked
  }

  stopAt(pos: number): void {
    this.asked = pos
    if (pos < this.end) this.parse.stopAt(pos)
  }

  advance(): Tree | null {
    const tree = this.parse.advance()
    if (tree === null || (this.asked !== null && this.asked <= this.end)) return tree
    const upTo = this.asked ?? this.length
    if (tree.length >= upTo) return tree
    this.context.skipUntilInView(tree.length, upTo)
    return new Tree(tree.type, tree.children, tree.positions, upTo, [...tree.propValues])
  }
}
