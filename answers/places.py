"""Where in its text a span stands: headings and page, from the revision's own layout. Pure."""

from documents.extraction.types import Heading, Layout


def heading_path_at(layout: Layout, offset: int) -> tuple[str, ...]:
    """Give the titles of the headings above an offset, outermost first."""
    open_headings: list[Heading] = []
    for heading in layout.headings:
        if heading.start > offset:
            break
        while open_headings and open_headings[-1].level >= heading.level:
            open_headings.pop()
        open_headings.append(heading)
    return tuple(heading.title for heading in open_headings)


def page_at(layout: Layout, offset: int) -> int | None:
    """Give the number, from 1, of the page that holds an offset; None without pages."""
    for number, page in enumerate(layout.pages, start=1):
        if page.start <= offset < page.end:
            return number
    return None
