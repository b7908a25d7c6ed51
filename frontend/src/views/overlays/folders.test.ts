import { describe, expect, it } from 'vitest'
import { completed, joined, parentOf, shownFolders, splitPath } from './folders'

describe('the path of a folder', () => {
  it('is split into where it is and what is being typed', () => {
    expect(splitPath('/home/ada/pro')).toEqual({ folder: '/home/ada', last: 'pro' })
    expect(splitPath('/')).toEqual({ folder: '/', last: '' })
    expect(splitPath('/u')).toEqual({ folder: '/', last: 'u' })
    expect(splitPath('')).toEqual({ folder: '', last: '' })
  })
  it('is put together again', () => {
    expect(joined('/', 'usr')).toBe('/usr')
    expect(joined('/usr', 'lib')).toBe('/usr/lib')
    expect(parentOf('/usr/lib')).toBe('/usr')
    expect(parentOf('/usr')).toBe('/')
    expect(parentOf('/')).toBe('/')
  })
  it('is completed as far as the folders agree', () => {
    expect(completed(['project', 'projects-old'], 'p')).toBe('project')
    expect(completed(['project'], 'p')).toBe('project/')
    expect(completed([], 'p')).toBe('p')
  })
  it('hides hidden folders until their dot is typed', () => {
    expect(shownFolders(['.git', 'Src', 'lib'], '')).toEqual(['Src', 'lib'])
    expect(shownFolders(['.git', 'Src'], '.')).toEqual(['.git'])
    expect(shownFolders(['.git', 'Src'], 's')).toEqual(['Src'])
  })
})
