// While the model writes, only what is in view is parsed. A function that is
// half written makes everything behind it another text to the parser, to the
// end of the file, at every token: 6 ms a frame in a file of 3,000 lines. What
// was left out is parsed when it comes into view, or at the next change that
// is not the model's.

import { Language, LanguageSupport, ParseContext } from '@codemirror/language'
import { Parser, Tree, type Input, type PartialParse, type TreeFragment } from '@lezer/common'
import { marks, modelCaret } from './marks'

const margin = 100 // UTF-16 units behind what the editor draws, which is more than is seen

/** The same language; its parser spares what nobody sees while the model writes. */
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
    const end = context.viewport.to + margin
    return end >= input.length ? parse : new ParseOfView(parse, context, end, input.length)
  }
}

class ParseOfView implements PartialParse {
  private asked: number | null = null // where the editor wants the parse to stop

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
